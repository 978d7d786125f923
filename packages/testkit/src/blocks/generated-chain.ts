import { type Cell, serializeCanonical, sha256 } from '@shardwalk/cells'
import {
  BASECHAIN,
  type BlockId,
  childShards,
  FULL_SHARD,
  MASTERCHAIN,
  parentShard,
  type RawAddress,
  type RawBlock,
  type ShardId,
  shardContainsPrefix,
} from '@shardwalk/model'
import { blockCell, mcExtraCell, type TopBlock } from './block-cell.ts'
import { Random } from './random.ts'
import { type AccountModel, accountCell, newAccount, type Sizes } from './random-account.ts'
import { type GeneratedTransaction, randomTransaction } from './random-transaction.ts'
import { splitState, stateCell } from './state-cells.ts'

export interface ChainOptions {
  readonly seed: number
  /** Masterchain blocks. Default 6. */
  readonly steps?: number
  /** Default 24, a quarter of them in the masterchain. */
  readonly accounts?: number
  /** Transactions of a block at most. Default 8. */
  readonly transactions?: number
  readonly sizes?: Partial<Sizes>
  /** Balance of every account after the transactions of this masterchain seqno and its shard blocks. */
  readonly balanceAt?: { readonly seqno: number; readonly balance: bigint }
}

/** A block, and what was put into it. */
export interface GeneratedBlock {
  readonly raw: RawBlock
  /** By account, then lt. */
  readonly transactions: readonly GeneratedTransaction[]
  /** State of each touched account after the block, by account id in hex; the cells are whole. */
  readonly states: ReadonlyMap<string, GeneratedState>
}

export type GeneratedState = Readonly<
  Pick<AccountModel, 'status' | 'balance' | 'extraCurrencies' | 'frozenHash' | 'code' | 'data'>
> & { readonly cell: Cell }

/** A masterchain block with the shard blocks that it commits, predecessors first. */
export interface GeneratedStep {
  readonly mcSeqno: number
  readonly masterchain: GeneratedBlock
  readonly shards: readonly GeneratedBlock[]
}

/** One shard as it stands. */
interface Shard {
  readonly shard: ShardId
  readonly tops: readonly TopBlock[]
  /** Parents after a merge are two. */
  readonly before: Cell
  readonly afterSplit: boolean
}

const DEFAULT_SIZES: Sizes = { cells: 20, dictionary: 60, depth: 30 }
const GLOBAL_ID = -777
const LT_STEP = 100_000_000n

/**
 * A chain of valid blocks from a seed: accounts of every status, every kind of transaction, state updates
 * pruned as far as they can be, shards that split, merge and leave out blocks.
 */
export function* generatedChain(options: ChainOptions): Generator<GeneratedStep> {
  const world = new World(options)
  for (let step = 0; step < (options.steps ?? 6); step++) yield world.step()
}

class World {
  private readonly random: Random
  private readonly sizes: Sizes
  private readonly accounts: readonly AccountModel[]
  private readonly addresses: readonly RawAddress[]
  private shards: Shard[]
  private masterchain: Shard
  private lt = LT_STEP
  private now = 1_700_000_000

  constructor(private readonly options: ChainOptions) {
    this.random = new Random(options.seed)
    this.sizes = { ...DEFAULT_SIZES, ...options.sizes }
    this.accounts = Array.from({ length: options.accounts ?? 24 }, (_, i) =>
      newAccount({ workchain: i % 4 === 3 ? MASTERCHAIN : BASECHAIN, hash: this.random.hash() }),
    )
    this.addresses = this.accounts.map(({ address }) => address)
    this.masterchain = this.zerostate(MASTERCHAIN)
    this.shards = [this.zerostate(BASECHAIN)]
  }

  step(): GeneratedStep {
    this.lt += LT_STEP
    // Blocks may share their second.
    this.now += this.random.below(3)
    const mcSeqno = this.masterchain.tops[0]!.id.seqno + 1
    this.mergeSome()
    const shards = [...this.shards].flatMap((shard) => this.growShard(shard, mcSeqno))
    const masterchain = this.makeBlock(this.masterchain, {
      ...{ workchain: MASTERCHAIN, mcSeqno, beforeSplit: false },
      mcExtra: mcExtraCell(this.shards.flatMap(({ tops }) => tops)),
    })
    this.masterchain = masterchain.next
    return { mcSeqno, masterchain: masterchain.block, shards }
  }

  private zerostate(workchain: number): Shard {
    const of = { globalId: GLOBAL_ID, workchain, shard: FULL_SHARD, seqno: 0, genUtime: this.now, genLt: 0n }
    const state = stateCell(of, this.own(workchain, FULL_SHARD))
    const id = { workchain, shard: FULL_SHARD, seqno: 0, rootHash: state.hash(), fileHash: state.hash() }
    const top = { id, regMcSeqno: 0, startLt: 0n, endLt: 0n, genUtime: this.now, beforeSplit: false }
    return { shard: FULL_SHARD, tops: [top], before: state, afterSplit: false }
  }

  /** None, one or several blocks of a shard; afterwards it may be split, or merged with its sibling. */
  private growShard(shard: Shard, mcSeqno: number): GeneratedBlock[] {
    const blocks: GeneratedBlock[] = []
    let current = shard
    // A merge is followed by a block: the masterchain names one top for each shard.
    const count = Math.max(shard.tops.length - 1, this.random.pick([0, 1, 1, 1, 2, 3]))
    const willSplit = count > 0 && this.shards.length < 6 && this.random.chance(0.15)
    for (let i = 0; i < count; i++) {
      const beforeSplit = willSplit && i === count - 1
      const { block, next } = this.makeBlock(current, { workchain: BASECHAIN, mcSeqno, beforeSplit })
      blocks.push(block)
      current = next
    }
    this.replace([shard], willSplit ? this.split(current, mcSeqno, blocks) : [current])
    return blocks
  }

  /** Both halves make their first block at once: the tops of the masterchain block are then theirs. */
  private split(parent: Shard, mcSeqno: number, blocks: GeneratedBlock[]): Shard[] {
    return childShards(parent.shard).map((shard) => {
      const { block, next } = this.makeBlock(
        { ...parent, shard, afterSplit: true },
        { workchain: BASECHAIN, mcSeqno, beforeSplit: false },
      )
      blocks.push(block)
      return next
    })
  }

  /** Siblings become one shard whose next block has two predecessors. */
  private mergeSome(): void {
    for (const left of this.shards) {
      const parent = left.shard === FULL_SHARD ? undefined : parentShard(left.shard)
      const right = this.shards.find(
        (one) => one !== left && one.shard !== FULL_SHARD && parentShard(one.shard) === parent,
      )
      if (!right || left.shard > right.shard || !this.random.chance(0.3)) continue
      const merged = {
        ...{ shard: parent!, tops: [...left.tops, ...right.tops], afterSplit: false },
        before: splitState(left.before, right.before),
      }
      this.replace([left, right], [merged])
      return
    }
  }

  private replace(old: readonly Shard[], fresh: readonly Shard[]): void {
    this.shards = [...this.shards.filter((shard) => !old.includes(shard)), ...fresh].sort((a, b) =>
      a.shard < b.shard ? -1 : 1,
    )
  }

  private own(workchain: number, shard: ShardId): AccountModel[] {
    return this.accounts.filter(
      ({ address }) =>
        address.workchain === workchain && shardContainsPrefix(shard, address.hash.readBigUInt64BE(0)),
    )
  }

  private makeBlock(
    { shard, tops, before, afterSplit }: Shard,
    {
      workchain,
      mcSeqno,
      beforeSplit,
      mcExtra,
    }: {
      readonly workchain: number
      readonly mcSeqno: number
      readonly beforeSplit: boolean
      readonly mcExtra?: Cell
    },
  ): { readonly block: GeneratedBlock; readonly next: Shard } {
    const startLt = this.lt
    const own = this.own(workchain, shard)
    const { transactions, states } = this.transact(own, mcSeqno)
    this.lt += LT_STEP
    const seqno = 1 + Math.max(...tops.map(({ id }) => id.seqno))
    const of = { globalId: GLOBAL_ID, workchain, shard, seqno, genUtime: this.now, genLt: this.lt }
    const after = stateCell(of, own)
    const masterRef = workchain === MASTERCHAIN ? undefined : this.masterchain.tops[0]!.id
    const cell = blockCell({
      ...{ ...of, startLt, endLt: this.lt, afterSplit, beforeSplit, before, after, transactions },
      prev: tops.map((top) => top.id),
      ...(masterRef && { masterRef }),
      ...(mcExtra && { mcExtra }),
      ...{ randSeed: this.random.hash(), isNew: this.random.chance(0.8) },
    })
    const bytes = serializeCanonical(cell)
    const id: BlockId = { workchain, shard, seqno, rootHash: cell.hash(), fileHash: sha256(bytes) }
    const top = { id, regMcSeqno: mcSeqno, startLt, endLt: this.lt, genUtime: this.now, beforeSplit }
    return {
      block: { raw: { id, bytes }, transactions, states },
      next: { shard, tops: [top], before: after, afterSplit: false },
    }
  }

  private transact(own: readonly AccountModel[], mcSeqno: number): Omit<GeneratedBlock, 'raw'> {
    const { transactions: most = 8, balanceAt } = this.options
    const made: GeneratedTransaction[] = []
    const touched = new Set<AccountModel>()
    const balance = balanceAt?.seqno === mcSeqno ? balanceAt.balance : undefined
    for (let left = own.length > 0 ? this.random.between(0, most) : 0; left > 0; left--) {
      const account = this.random.pick(own)
      touched.add(account)
      const at = { lt: this.lt + BigInt(made.length + 1) * 1_000n, now: this.now, sizes: this.sizes }
      made.push(
        randomTransaction(this.random, account, {
          ...at,
          others: this.addresses,
          ...(balance !== undefined && { balance }),
        }),
      )
    }
    return {
      transactions: made.sort(
        (a, b) => Buffer.compare(a.account.hash, b.account.hash) || (a.lt < b.lt ? -1 : 1),
      ),
      states: new Map(
        [...touched].map((account) => [account.address.hash.toString('hex'), stateOf(account)]),
      ),
    }
  }
}

const stateOf = (account: AccountModel): GeneratedState => {
  const { status, balance, extraCurrencies, frozenHash, code, data } = account
  const isActive = status === 'active'
  return {
    ...{ status, balance, extraCurrencies, frozenHash, cell: accountCell(account) },
    ...{ code: isActive ? code : undefined, data: isActive ? data : undefined },
  }
}
