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
  type ShortBlockId,
  shardContainsPrefix,
  shardPrefixLength,
} from '@shardwalk/model'
import { unreadableBlock } from '../unreadable-block.ts'
import { withHeaderOnly } from '../with-header-only.ts'
import { blockCell } from './block-cell.ts'
import { type GeneratedState, statesOf } from './generated-state.ts'
import { mcExtraCell, type SystemMessage, shardHashesCell, type TopBlock } from './mc-extra.ts'
import { Random } from './random.ts'
import { type AccountModel, changeAccount, newAccount, type Sizes } from './random-account.ts'
import { type GeneratedMessage, internalMessage } from './random-message.ts'
import { type GeneratedTransaction, Mail, randomTransaction } from './random-transaction.ts'
import { splitState, stateCell } from './state-cells.ts'
import { GENESIS_UTIME, GLOBAL_ID, mcStateExtraCell, type Zerostates, zerostatesOf } from './zerostates.ts'

export interface ChainOptions {
  readonly seed: number
  /** Masterchain blocks. Default 6. */
  readonly steps?: number
  /** Default 24, a quarter of them in the masterchain. */
  readonly accounts?: number
  /** Transactions of a block at most. Default 8. */
  readonly transactions?: number
  readonly sizes?: Partial<Sizes>
  /** Besides the masterchain. Default: the basechain. */
  readonly workchains?: readonly number[]
  /** The leftmost shard is split in every step; the others make no blocks. */
  readonly splitsDeep?: boolean
  /** Chance that a shard is split. Default 0.15. */
  readonly splits?: number
  /**
   * Any number of blocks, splits and merges of each shard between two masterchain blocks, in any order.
   * `splits` does not apply.
   */
  readonly isRestless?: boolean
  /** Chance that an account exists since its workchain began. Default 0. */
  readonly genesis?: number
  /**
   * Masterchain blocks that have shards of a workchain, of those that do not always have them. The block
   * before is a key block, whose configuration names the workchain.
   */
  readonly spans?: ReadonlyMap<number, { readonly from: number; readonly to: number }>
  /**
   * Chance of each shape that is legal and that no network has shown: see `Random.rarely`. Default 0.
   */
  readonly rarity?: number
  /** Chance of a key block. Default 0.1. */
  readonly keyBlocks?: number
  /** Blocks of which nothing but the header can be decoded, or not even that. */
  readonly unreadable?: (id: ShortBlockId) => boolean | 'wholly'
  /**
   * Balance of every account after the transactions of this masterchain seqno and its shard blocks; seqno 0:
   * of those that exist since genesis. `alone`: of one account of the masterchain only.
   */
  readonly balanceAt?: { readonly seqno: number; readonly balance: bigint; readonly alone?: boolean }
}

/** A block, and what was put into it. */
export interface GeneratedBlock {
  readonly raw: RawBlock
  /** By account, then lt. */
  readonly transactions: readonly GeneratedTransaction[]
  /** State of each touched account after the block, by account id in hex; the cells are whole. */
  readonly states: ReadonlyMap<string, GeneratedState>
}

/** A masterchain block with the shard blocks that it commits, predecessors first. */
export interface GeneratedStep {
  readonly mcSeqno: number
  readonly masterchain: GeneratedBlock
  readonly shards: readonly GeneratedBlock[]
  /** Those of the chain, the same in every step. */
  readonly zerostates: Zerostates
}

/** One shard as it stands. */
interface Shard {
  readonly workchain: number
  readonly shard: ShardId
  readonly tops: readonly TopBlock[]
  /** Parents after a merge are two. */
  readonly before: Cell
  readonly afterSplit: boolean
}

const DEFAULT_SIZES: Sizes = { cells: 20, dictionary: 60, depth: 30 }
const LT_STEP = 100_000_000n
/** block.tlb `shard_pfx_bits:(#<= 60)`. */
const MAX_SHARD_BITS = 60

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
  private readonly zerostates: Zerostates
  private readonly mail = new Mail()
  private lastKeyBlock: BlockId | undefined
  private shards: Shard[]
  private masterchain: Shard
  private lt = LT_STEP
  private now = GENESIS_UTIME

  constructor(private readonly options: ChainOptions) {
    this.random = new Random(options.seed, options.rarity)
    this.sizes = { ...DEFAULT_SIZES, ...options.sizes }
    const { workchains = [BASECHAIN] } = options
    this.accounts = Array.from({ length: options.accounts ?? 24 }, (_, i) =>
      newAccount({ workchain: workchainOf(i, workchains), hash: this.random.hash() }),
    )
    this.addresses = this.accounts.map(({ address }) => address)
    this.bringToLife()
    const isNamed = (workchain: number) => this.isNamedAfter(0, workchain)
    this.zerostates = zerostatesOf({ workchains, accounts: this.accounts, isNamed })
    this.masterchain = this.zerostateShard(MASTERCHAIN)
    this.shards = workchains
      .filter((workchain) => !options.spans?.has(workchain))
      .map((workchain) => this.zerostateShard(workchain))
  }

  /** Its own choices: those of the blocks are the same without accounts at genesis. */
  private bringToLife(): void {
    const { genesis, seed, balanceAt } = this.options
    const random = new Random(seed + 1_000_000)
    for (const account of genesis ? this.accounts : [])
      if (random.chance(genesis!))
        while (account.status === 'nonexist') changeAccount(random, account, this.sizes, GENESIS_UTIME)
    if (balanceAt?.seqno !== 0) return
    const existing = this.accounts.filter(({ status }) => status !== 'nonexist')
    const rich = balanceAt.alone
      ? existing.filter(({ address }) => address.workchain === MASTERCHAIN).slice(0, 1)
      : existing
    for (const account of rich) account.balance = balanceAt.balance
  }

  /** Whether the configuration after a masterchain block has the workchain. */
  private isNamedAfter(mcSeqno: number, workchain: number): boolean {
    return (this.options.spans?.get(workchain)?.from ?? 0) <= mcSeqno + 1
  }

  private zerostateShard(workchain: number): Shard {
    const { id, cell } = this.zerostates.get(workchain)!
    const top = { id, regMcSeqno: 0, startLt: 0n, endLt: 0n, genUtime: GENESIS_UTIME, beforeSplit: false }
    return { workchain, shard: FULL_SHARD, tops: [top], before: cell, afterSplit: false }
  }

  step(): GeneratedStep {
    this.lt += LT_STEP + (this.random.rarely() ? this.random.big(50) : 0n)
    // Blocks may share their second, and a network may rest for years.
    this.now += this.random.rarely() ? this.random.below(100_000_000) : this.random.below(3)
    const mcSeqno = this.masterchain.tops[0]!.id.seqno + 1
    this.changeWorkchains(mcSeqno)
    const shards = this.options.isRestless ? this.moveOften(mcSeqno) : this.moveOnce(mcSeqno)
    const masterchain = this.makeBlock(this.masterchain, { mcSeqno, beforeSplit: false })
    this.masterchain = masterchain.next
    return { mcSeqno, masterchain: masterchain.block, shards, zerostates: this.zerostates }
  }

  private changeWorkchains(mcSeqno: number): void {
    for (const [workchain, { from, to }] of this.options.spans ?? []) {
      if (mcSeqno === from) this.replace([], [this.zerostateShard(workchain)])
      if (mcSeqno === to + 1)
        this.replace(
          this.shards.filter((shard) => shard.workchain === workchain),
          [],
        )
    }
  }

  private moveOnce(mcSeqno: number): GeneratedBlock[] {
    this.mergeSome()
    return [...this.shards].flatMap((shard) => this.growShard(shard, mcSeqno))
  }

  private moveOften(mcSeqno: number): GeneratedBlock[] {
    const blocks: GeneratedBlock[] = []
    for (let moves = this.random.pick([0, 1, 3, 6, 12]); moves > 0 && this.shards.length > 0; moves--) {
      const shard = this.random.pick(this.shards)
      const siblings = this.random.chance(0.4) && this.mergeable(shard)
      if (siblings) this.replace(siblings, [merge(...siblings)])
      const current = siblings ? this.shards.find(({ tops }) => tops.length > 1)! : shard
      const beforeSplit = this.shards.length < 8 && this.random.chance(0.3)
      const { block, next } = this.makeBlock(current, { mcSeqno, beforeSplit })
      blocks.push(block)
      this.replace([current], beforeSplit ? this.split(next, mcSeqno, blocks) : [next])
    }
    return blocks
  }

  /** None, one or several blocks of a shard; afterwards it may be split, or merged with its sibling. */
  private growShard(shard: Shard, mcSeqno: number): GeneratedBlock[] {
    const blocks: GeneratedBlock[] = []
    let current = shard
    // A merge is followed by a block: the masterchain names one top for each shard.
    const isDeep = this.options.splitsDeep === true
    const isFirst = shard === this.shards[0]
    const wanted = isDeep ? Number(isFirst) : this.random.pick([0, 1, 1, 1, 2, 3])
    const count = Math.max(shard.tops.length - 1, wanted)
    const willSplit = count > 0 && this.splits(shard.shard, isDeep)
    for (let i = 0; i < count; i++) {
      const beforeSplit = willSplit && i === count - 1
      const { block, next } = this.makeBlock(current, { mcSeqno, beforeSplit })
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
        { mcSeqno, beforeSplit: false },
      )
      blocks.push(block)
      return next
    })
  }

  private splits(shard: ShardId, isDeep: boolean): boolean {
    if (isDeep) return shardPrefixLength(shard) < MAX_SHARD_BITS
    return this.shards.length < 6 && this.random.chance(this.options.splits ?? 0.15)
  }

  /** Siblings become one shard whose next block has two predecessors. */
  private mergeSome(): void {
    if (this.options.splitsDeep) return
    for (const left of this.shards) {
      const siblings = this.mergeable(left)
      if (siblings?.[0] !== left || !this.random.chance(0.3)) continue
      this.replace(siblings, [merge(...siblings)])
      return
    }
  }

  /** A shard and its sibling, left one first; undefined if that is not one shard. */
  private mergeable(shard: Shard): readonly [Shard, Shard] | undefined {
    const parentOf = (one: Shard) => (one.shard === FULL_SHARD ? undefined : parentShard(one.shard))
    const parent = parentOf(shard)
    const sibling = this.shards.find(
      (one) => one !== shard && one.workchain === shard.workchain && parentOf(one) === parent,
    )
    if (parent === undefined || !sibling) return undefined
    return shard.shard < sibling.shard ? [shard, sibling] : [sibling, shard]
  }

  private replace(old: readonly Shard[], fresh: readonly Shard[]): void {
    this.shards = [...this.shards.filter((shard) => !old.includes(shard)), ...fresh].sort(
      (a, b) => a.workchain - b.workchain || (a.shard < b.shard ? -1 : 1),
    )
  }

  private own(workchain: number, shard: ShardId): AccountModel[] {
    return this.accounts.filter(
      ({ address }) =>
        address.workchain === workchain && shardContainsPrefix(shard, address.hash.readBigUInt64BE(0)),
    )
  }

  private makeBlock(
    { workchain, shard, tops, before, afterSplit }: Shard,
    { mcSeqno, beforeSplit }: { readonly mcSeqno: number; readonly beforeSplit: boolean },
  ): { readonly block: GeneratedBlock; readonly next: Shard } {
    const startLt = this.lt
    const own = this.own(workchain, shard)
    const { transactions, states, system } = this.transact(own, mcSeqno)
    this.lt += LT_STEP
    const seqno = 1 + Math.max(...tops.map(({ id }) => id.seqno))
    const isMasterchain = workchain === MASTERCHAIN
    const of = { globalId: GLOBAL_ID, workchain, shard, seqno, genUtime: this.now, genLt: this.lt }
    const workchains = this.workchainsAfter(mcSeqno)
    const { random, lastKeyBlock } = this
    const masterRef = isMasterchain ? undefined : this.masterchain.tops[0]!.id
    const begins = [...(this.options.spans?.values() ?? [])].some(({ from }) => from === mcSeqno + 1)
    const isKeyBlock = isMasterchain && (random.chance(this.options.keyBlocks ?? 0.1) || begins)
    const shardHashes = isMasterchain ? shardHashesCell(this.tops(), random) : undefined
    const custom = isMasterchain
      ? mcStateExtraCell({ workchains, maxEndLt: startLt, lastKeyBlock, shardHashes })
      : undefined
    const after = stateCell(of, own, custom)
    const prevKeyBlockSeqno = lastKeyBlock?.seqno ?? 0
    const cell = blockCell({
      ...{ ...of, startLt, endLt: this.lt, afterSplit, beforeSplit, before, after, transactions },
      prev: tops.map((top) => top.id),
      ...(masterRef && { masterRef }),
      ...(isMasterchain && {
        mcExtra: mcExtraCell({ tops: this.tops(), shardHashes, isKeyBlock, workchains, system, random }),
      }),
      ...{ randSeed: random.hash(), isNew: random.chance(0.8), random, isKeyBlock, prevKeyBlockSeqno },
      transits: this.transits(),
    })
    const raw = this.serialize(cell, { workchain, shard, seqno })
    const { id } = raw
    if (isKeyBlock) this.lastKeyBlock = id
    const top = { id, regMcSeqno: mcSeqno, startLt, endLt: this.lt, genUtime: this.now, beforeSplit }
    return {
      block: { raw, transactions, states },
      next: { workchain, shard, tops: [top], before: after, afterSplit: false },
    }
  }

  /** Ids of the zerostates of the workchains that the configuration after a masterchain block has. */
  private workchainsAfter(mcSeqno: number): BlockId[] {
    return [...this.zerostates.values()]
      .map((zerostate) => zerostate.id)
      .filter((id) => id.workchain !== MASTERCHAIN && this.isNamedAfter(mcSeqno, id.workchain))
  }

  /** The bytes of a block, or of one that cannot be read if `unreadable` says so. */
  private serialize(cell: Cell, place: Pick<BlockId, 'workchain' | 'shard' | 'seqno'>): RawBlock {
    const bytes = serializeCanonical(cell)
    const whole = { id: { ...place, rootHash: cell.hash(), fileHash: sha256(bytes) }, bytes }
    const unreadable = this.options.unreadable?.(whole.id)
    if (!unreadable) return whole
    return unreadable === 'wholly' ? unreadableBlock(whole) : withHeaderOnly(whole)
  }

  private tops(): TopBlock[] {
    return this.shards.flatMap(({ tops }) => tops)
  }

  /** Messages between other shards. */
  private transits(): GeneratedMessage[] {
    return Array.from({ length: this.random.pick([0, 0, 1, 3]) }, () =>
      internalMessage(this.random, {
        ...{ source: this.random.pick(this.addresses), destination: this.random.pick(this.addresses) },
        ...{ lt: this.lt - 7n, now: this.now },
      }),
    )
  }

  private transact(
    own: readonly AccountModel[],
    mcSeqno: number,
  ): Omit<GeneratedBlock, 'raw'> & { readonly system: readonly SystemMessage[] } {
    const { transactions: most = 8, balanceAt } = this.options
    const made: GeneratedTransaction[] = []
    const touched = new Set<AccountModel>()
    const isRich = (account: AccountModel) => {
      if (balanceAt?.seqno !== mcSeqno) return false
      return (
        !balanceAt.alone ||
        (account.address.workchain === MASTERCHAIN && touched.keys().next().value === account)
      )
    }
    // Those that the money which is recovered and minted comes to, at the beginning of the block.
    const bySystem = new Set<AccountModel>()
    for (let left = own.length > 0 ? this.random.between(0, most) : 0; left > 0; left--) {
      const account = this.random.pick(own)
      touched.add(account)
      const mayBeSystem =
        account.address.workchain === MASTERCHAIN && made.length === bySystem.size && bySystem.size < 2
      const isSystem = mayBeSystem && !bySystem.has(account) && this.random.chance(0.3)
      if (isSystem) bySystem.add(account)
      const lt = this.lt + BigInt(isSystem ? bySystem.size : (made.length + 1) * 1_000)
      const at = { lt, now: this.now, sizes: this.sizes, ...(isSystem && { systemLt: this.lt }) }
      made.push(
        randomTransaction(this.random, account, {
          ...at,
          ...{ others: this.addresses, mail: this.mail },
          ...(isRich(account) && { balance: balanceAt!.balance }),
        }),
      )
    }
    return {
      system: made.slice(0, bySystem.size).map(({ cell, inMsg }) => ({ message: inMsg!, transaction: cell })),
      transactions: made.sort(
        (a, b) => Buffer.compare(a.account.hash, b.account.hash) || (a.lt < b.lt ? -1 : 1),
      ),
      states: statesOf(touched),
    }
  }
}

const merge = (left: Shard, right: Shard): Shard => ({
  ...{ workchain: left.workchain, shard: parentShard(left.shard), afterSplit: false },
  tops: [...left.tops, ...right.tops],
  before: splitState(left.before, right.before),
})

/** Every fourth account is in the masterchain. */
const workchainOf = (index: number, workchains: readonly number[]): number =>
  index % 4 === 3 ? MASTERCHAIN : (workchains[index % workchains.length] ?? MASTERCHAIN)
