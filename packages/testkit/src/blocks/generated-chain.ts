import { type Cell, serializeCanonical, sha256 } from '@shardwalk/cells'
import {
  BASECHAIN,
  type BlockId,
  childShards,
  FULL_SHARD,
  MASTERCHAIN,
  type RawAddress,
  type RawBlock,
  type ShardId,
  shardContainsPrefix,
  shardPrefixLength,
} from '@shardwalk/model'
import { unreadableBlock } from '../unreadable-block.ts'
import { withHeaderOnly } from '../with-header-only.ts'
import { type BlockParts, blockCell } from './block-cell.ts'
import type { ChainOptions, GeneratedBlock, GeneratedStep } from './chain-options.ts'
import { mcExtraCell, type SystemMessage, shardHashesCell } from './mc-extra.ts'
import { type OldBlock, OldBlocks } from './old-blocks.ts'
import { queueCell, type Waiting } from './queue-cell.ts'
import { Random } from './random.ts'
import { type AccountModel, changeAccount, newAccount, type Sizes } from './random-account.ts'
import { type GeneratedMessage, internalMessage } from './random-message.ts'
import { Mail } from './random-transaction.ts'
import { type Shard, ShardSet } from './shard-set.ts'
import { stateCell } from './state-cells.ts'
import { transact } from './transact.ts'
import { ValidatorRounds } from './validators.ts'
import { GENESIS_UTIME, GLOBAL_ID, mcStateExtraCell, type Zerostates, zerostatesOf } from './zerostates.ts'

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

interface MasterchainStep {
  readonly mcSeqno: number
  readonly system: readonly SystemMessage[]
}

/** What differs between blocks of the masterchain and of shards. */
interface ChainParts extends Pick<BlockParts, 'isKeyBlock' | 'masterRef' | 'mcExtra'> {
  /** block.tlb `McStateExtra`. */
  readonly custom?: Cell
}

class World {
  private readonly random: Random
  private readonly sizes: Sizes
  private readonly accounts: readonly AccountModel[]
  private readonly addresses: readonly RawAddress[]
  private readonly zerostates: Zerostates
  private readonly mail = new Mail()
  /** Of what waits: its own choices, as for accounts at genesis. */
  private readonly waiting: Random
  private lastKeyBlock: BlockId | undefined
  private readonly oldBlocks = new OldBlocks()
  private readonly rounds: ValidatorRounds
  private readonly shards: ShardSet
  private masterchain: Shard
  private lt = LT_STEP
  private now = GENESIS_UTIME

  constructor(private readonly options: ChainOptions) {
    this.random = new Random(options.seed, options.rarity)
    this.waiting = new Random(options.seed + 2_000_000)
    this.rounds = new ValidatorRounds(options.seed, options.validatorChanges)
    this.sizes = { ...DEFAULT_SIZES, ...options.sizes }
    const { workchains = [BASECHAIN] } = options
    this.accounts = Array.from({ length: options.accounts ?? 24 }, (_, i) =>
      newAccount({ workchain: workchainOf(i, workchains), hash: this.random.hash() }),
    )
    this.addresses = this.accounts.map(({ address }) => address)
    this.bringToLife()
    const isNamed = (workchain: number) => this.isNamedAfter(0, workchain)
    this.zerostates = zerostatesOf({
      ...{ workchains, accounts: this.accounts, rounds: this.rounds, isNamed },
    })
    this.masterchain = this.zerostateShard(MASTERCHAIN)
    const always = workchains.filter((workchain) => !options.spans?.has(workchain))
    this.shards = new ShardSet(always.map((workchain) => this.zerostateShard(workchain)))
  }

  /** Its own choices: those of the blocks are the same without accounts at genesis. */
  private bringToLife(): void {
    const { genesis, seed, balanceAt } = this.options
    const random = new Random(seed + 1_000_000)
    for (const account of genesis ? this.accounts : [])
      if (random.chance(genesis!))
        while (account.status === 'nonexist')
          changeAccount(random, account, { now: GENESIS_UTIME, sizes: this.sizes })
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
    if (this.options.timeAt?.seqno === mcSeqno) this.now = this.options.timeAt.utime
    this.changeWorkchains(mcSeqno)
    const shards = this.move(mcSeqno)
    const validators = this.rounds.subset()
    const masterchain = this.makeBlock(this.masterchain, { mcSeqno, beforeSplit: false })
    this.masterchain = masterchain.next
    return { mcSeqno, masterchain: masterchain.block, shards, validators, zerostates: this.zerostates }
  }

  private changeWorkchains(mcSeqno: number): void {
    for (const [workchain, { from, to }] of this.options.spans ?? []) {
      if (mcSeqno === from) this.shards.replace([], [this.zerostateShard(workchain)])
      if (mcSeqno === to + 1) this.shards.replace(this.shards.ofWorkchain(workchain), [])
    }
  }

  private move(mcSeqno: number): GeneratedBlock[] {
    const { isRestless, depthAt } = this.options
    if (depthAt) return this.moveToDepth(mcSeqno, depthAt(mcSeqno))
    return isRestless ? this.moveOften(mcSeqno) : this.moveOnce(mcSeqno)
  }

  /** Shards that rest are not touched; siblings that merge are halves of what was one shard. */
  private moveToDepth(mcSeqno: number, depth: number): GeneratedBlock[] {
    const blocks: GeneratedBlock[] = []
    const grow = (shard: Shard, willSplit: boolean) => {
      const { block, next } = this.makeBlock(shard, { mcSeqno, beforeSplit: willSplit })
      blocks.push(block)
      this.shards.replace([shard], willSplit ? this.split(next, mcSeqno, blocks) : [next])
    }
    for (const shard of this.shards) {
      const isThere = shardPrefixLength(shard.shard) === depth
      if (isThere && !this.random.chance(this.options.rest ?? 0)) grow(shard, false)
    }
    const isOff = (isLess: boolean) =>
      [...this.shards].filter(({ shard }) => {
        const length = shardPrefixLength(shard)
        return isLess ? length < depth : length > depth
      })
    for (let few = isOff(true); few.length > 0; few = isOff(true)) for (const shard of few) grow(shard, true)
    for (let many = isOff(false); many.length > 0; many = isOff(false))
      for (const shard of many) {
        const siblings = this.shards.mergeable(shard)
        if (siblings?.[0] === shard) grow(this.shards.merge(siblings), false)
      }
    return blocks
  }

  private moveOnce(mcSeqno: number): GeneratedBlock[] {
    this.mergeSome()
    return [...this.shards].flatMap((shard) => this.growShard(shard, mcSeqno))
  }

  private moveOften(mcSeqno: number): GeneratedBlock[] {
    const blocks: GeneratedBlock[] = []
    for (let moves = this.random.pick([0, 1, 3, 6, 12]); moves > 0 && this.shards.size > 0; moves--) {
      const shard = this.shards.pick(this.random)
      const siblings = this.random.chance(0.4) && this.shards.mergeable(shard)
      const current = siblings ? this.shards.merge(siblings) : shard
      const beforeSplit = this.shards.size < 8 && this.random.chance(0.3)
      const { block, next } = this.makeBlock(current, { mcSeqno, beforeSplit })
      blocks.push(block)
      this.shards.replace([current], beforeSplit ? this.split(next, mcSeqno, blocks) : [next])
    }
    return blocks
  }

  /** None, one or several blocks of a shard; afterwards it may be split, or merged with its sibling. */
  private growShard(shard: Shard, mcSeqno: number): GeneratedBlock[] {
    const blocks: GeneratedBlock[] = []
    let current = shard
    // A merge is followed by a block: the masterchain names one top for each shard.
    const isDeep = this.options.splitsDeep === true
    const isFirst = this.shards.isFirst(shard)
    const wanted = isDeep ? Number(isFirst) : this.random.pick([0, 1, 1, 1, 2, 3])
    const count = Math.max(shard.tops.length - 1, wanted)
    const willSplit = count > 0 && this.splits(shard.shard, isDeep)
    for (let i = 0; i < count; i++) {
      const beforeSplit = willSplit && i === count - 1
      const { block, next } = this.makeBlock(current, { mcSeqno, beforeSplit })
      blocks.push(block)
      current = next
    }
    this.shards.replace([shard], willSplit ? this.split(current, mcSeqno, blocks) : [current])
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
    return this.shards.size < 6 && this.random.chance(this.options.splits ?? 0.15)
  }

  /** Siblings become one shard whose next block has two predecessors. */
  private mergeSome(): void {
    if (this.options.splitsDeep) return
    for (const left of this.shards) {
      const siblings = this.shards.mergeable(left)
      if (siblings?.[0] !== left || !this.random.chance(0.3)) continue
      this.shards.merge(siblings)
      return
    }
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
    const now = this.timeOf(workchain, tops)
    const own = this.own(workchain, shard)
    const { random, sizes, addresses, mail } = this
    const chain = { ...this.options, random, sizes, addresses, mail }
    const made = transact(chain, own, { mcSeqno, lt: startLt, now })
    const { transactions, states } = made
    this.lt += LT_STEP
    const isMasterchain = workchain === MASTERCHAIN
    const validators = this.rounds.subset(workchain, shard)
    const last = Math.max(...tops.map(({ id }) => id.seqno))
    const { firstShardSeqno = 1 } = this.options
    const seqno = last === 0 && !isMasterchain ? firstShardSeqno : last + 1
    const of = { globalId: GLOBAL_ID, workchain, shard, seqno, genUtime: now, genLt: this.lt }
    const { custom, ...parts }: ChainParts = isMasterchain
      ? this.masterchainParts({ mcSeqno, system: made.system })
      : { isKeyBlock: false, masterRef: this.masterchain.tops[0]!.id }
    const waiting = this.waitingAfter(own)
    const queue = queueCell(this.waiting, this.lt, waiting)
    const after = stateCell(of, own, { queue, custom, tag: this.options.stateTag })
    const cell = blockCell({
      ...{ ...of, startLt, endLt: this.lt, afterSplit, beforeSplit, before, after, transactions },
      prev: tops.map((top) => top.id),
      ...parts,
      ...{ prevKeyBlockSeqno: this.lastKeyBlock?.seqno ?? 0, validators },
      ...{ randSeed: random.hash(), isNew: random.chance(0.8), random },
      transits: this.transits(),
    })
    const raw = this.serialize(cell, { workchain, shard, seqno })
    if (parts.isKeyBlock) this.lastKeyBlock = raw.id
    const top = { id: raw.id, regMcSeqno: mcSeqno, startLt, endLt: this.lt, genUtime: now, beforeSplit }
    return {
      block: { raw, transactions, states, waiting },
      next: { workchain, shard, tops: [top], before: after, afterSplit: false },
    }
  }

  /** Some accounts of a shard have several messages that are deferred. */
  private waitingAfter(own: readonly AccountModel[]): Waiting {
    const { waiting: random, lt, now } = this
    const senders = own.filter(() => random.chance(0.2))
    const deferred = senders.map(({ address: source }) => {
      const messages = Array.from({ length: random.between(1, 5) }, (_, i) =>
        internalMessage(random, { source, destination: source, lt: lt + BigInt(i), now }),
      )
      return [source.hash, messages] as const
    })
    return { deferred, queueSize: random.below(10_000) }
  }

  /** A shard block may be older than the masterchain block that commits it, not than those before it. */
  private timeOf(workchain: number, before: Shard['tops']): number {
    if (workchain === MASTERCHAIN || !this.random.rarely()) return this.now
    return Math.max(this.now - this.random.below(100), ...before.map(({ genUtime }) => genUtime))
  }

  /** What only masterchain blocks and states have; `system`: messages that the masterchain sends itself. */
  private masterchainParts({ mcSeqno, system }: MasterchainStep): ChainParts {
    const { random, rounds, lastKeyBlock } = this
    const begins = [...(this.options.spans?.values() ?? [])].some(({ from }) => from === mcSeqno + 1)
    const isKeyBlock = random.chance(this.options.keyBlocks ?? 0.1) || begins
    const tops = this.shards.tops()
    const workchains = this.workchainsAfter(mcSeqno)
    const shardHashes = shardHashesCell(tops, random)
    const { oldBlocks } = this
    oldBlocks.add(this.previousBlock())
    rounds.proceed({ isKeyBlock })
    const config = { workchains, rounds, shardHashes }
    const custom = mcStateExtraCell({ ...config, oldBlocks, isKeyBlock, lastKeyBlock })
    const mcExtra = mcExtraCell({ ...config, tops, isKeyBlock, system, random })
    return { isKeyBlock, custom, mcExtra }
  }

  /** The one before the next masterchain block. A zerostate counts as a key block. */
  private previousBlock(): OldBlock {
    const { id, endLt } = this.masterchain.tops[0]!
    const isKey = id.seqno === (this.lastKeyBlock?.seqno ?? 0)
    return { id, endLt, isKey: isKey !== (this.options.falseKeyFlags?.includes(id.seqno) ?? false) }
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

  /** Messages between other shards. */
  private transits(): GeneratedMessage[] {
    return Array.from({ length: this.random.pick([0, 0, 1, 3]) }, () =>
      internalMessage(this.random, {
        ...{ source: this.random.pick(this.addresses), destination: this.random.pick(this.addresses) },
        ...{ lt: this.lt - 7n, now: this.now },
      }),
    )
  }
}

/** Every fourth account is in the masterchain. */
const workchainOf = (index: number, workchains: readonly number[]): number =>
  index % 4 === 3 ? MASTERCHAIN : (workchains[index % workchains.length] ?? MASTERCHAIN)
