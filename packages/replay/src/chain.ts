import type { Cell } from '@shardwalk/cells'
import {
  type BlockId,
  FULL_SHARD,
  formatBlockId,
  formatShard,
  formatShortId,
  MASTERCHAIN,
  type ShardId,
  sameBlock,
  shardContains,
} from '@shardwalk/model'
import type { Recording } from '@shardwalk/sources'
import { LITE_ERROR } from '@shardwalk/tl'
import { type BlockTree, BlockTrees } from './block-trees.ts'
import { badRequest, notReady, Refusal } from './refusal.ts'
import { type ChainBlock, type LookupBy, ShardIndex } from './shard-index.ts'
import { StateStore } from './states.ts'

/** Seqno that means "the newest block" in state queries. Source: node, liteserver.cpp. */
const LATEST_SEQNO = 0xffffffff

/** Workchain of an id that names nothing. Source: node, ton-types.h, `workchainInvalid`. */
export const INVALID_WORKCHAIN = -0x80000000

/** A recorded chain as served: everything up to a head that can move. */
export class ReplayChain {
  private readonly index: ShardIndex
  private readonly trees: BlockTrees
  private readonly states: StateStore
  private readonly waiters = new Set<() => void>()
  private newest: number
  private staleBy = 0
  private signed = 0
  /** Without it no state can be made. */
  private hasZerostate: boolean | undefined

  constructor(
    readonly recording: Recording,
    head: number = recording.last,
  ) {
    this.index = new ShardIndex(recording)
    this.trees = new BlockTrees(recording)
    this.states = new StateStore(recording, this.index, this.trees)
    this.newest = this.clamp(head)
  }

  /** Newest masterchain block that the server reports. */
  get head(): ChainBlock {
    return this.masterchain(this.headSeqno)
  }

  /** Moves the head, at most to the end of the recording. */
  setHead(seqno: number): void {
    this.newest = this.clamp(seqno)
    for (const wake of [...this.waiters]) wake()
  }

  /**
   * Shard blocks up to those that this masterchain block commits are signed, which lite servers that report
   * blocks that are not final say. Default: the head.
   */
  setSigned(seqno: number): void {
    this.signed = this.clamp(seqno)
  }

  get signedSeqno(): number {
    return Math.max(this.signed, this.headSeqno)
  }

  /** Hides the newest `blocks` masterchain blocks. */
  setStaleness(blocks: number): void {
    this.staleBy = blocks
  }

  get headSeqno(): number {
    return this.clamp(this.newest - this.staleBy)
  }

  private clamp(seqno: number): number {
    return Math.max(this.recording.first, Math.min(seqno, this.recording.last))
  }

  /** Calls the listener on every move of the head; returns a function that unsubscribes. */
  onHead(listener: () => void): () => void {
    this.waiters.add(listener)
    return () => this.waiters.delete(listener)
  }

  masterchain(seqno: number): ChainBlock {
    const step = this.recording.step(seqno)
    if (!step) throw notReady(`seqno ${seqno} not in db`)
    return { ...step.block, mcBlockSeqno: seqno }
  }

  /** Shard configuration that a masterchain block commits. */
  shardTops(seqno: number): readonly BlockId[] {
    return this.recording.step(seqno)?.shardTops ?? []
  }

  /** The block with this id if it is not beyond the head. Throws the node's error otherwise. */
  block(id: BlockId): ChainBlock {
    const block = this.find(id)
    if (block) return block
    throw notReady(`block ${formatShortId(id)} is not in db${this.lagHint(id)}`)
  }

  find(id: BlockId): ChainBlock | undefined {
    const block = this.index.withRootHash(id)
    return block && sameBlock(block.id, id) && block.mcBlockSeqno <= this.headSeqno ? block : undefined
  }

  /** Like `block`, with the error text of queries that load the block for another purpose. */
  loadable(id: BlockId): ChainBlock {
    const problem = (why: string) => notReady(`cannot load block ${formatBlockId(id)} : ${why}`)
    if (id.seqno === 0) throw problem('not in db')
    const block = this.find(id)
    if (block) return block
    throw problem(`block ${formatShortId(id)} is not in db${this.lagHint(id)}`)
  }

  /** Reference block of a state query; seqno 0xffffffff of the masterchain is the head. */
  reference(id: BlockId): ChainBlock {
    if (id.workchain === MASTERCHAIN && id.seqno === LATEST_SEQNO) return this.head
    return this.loadable(id)
  }

  /** Masterchain block that commits a shard block; a masterchain block commits itself. */
  committer(block: ChainBlock): ChainBlock {
    return this.masterchain(block.mcBlockSeqno)
  }

  lookup(workchain: number, shard: ShardId, by: LookupBy): ChainBlock {
    const block = this.index.lookup(workchain, shard, by, this.headSeqno)
    if (block) return block
    throw notReady(this.lookupProblem(workchain, shard, by))
  }

  /** The node's error text: what was looked up, where the lookup ended, and how far the server is. */
  lookupProblem(workchain: number, shard: ShardId, by: LookupBy): string {
    const [[name, value]] = Object.entries(by) as [[string, number | bigint]]
    const what = `cannot find block (${workchain},${formatShard(shard)}) ${name}=${value}: `
    if (!this.index.hasWorkchain(workchain)) return `${what}${name === 'utime' ? 'ts' : name} not in db`
    const seqno = name === 'seqno' ? Number(value) : this.headSeqno + 1
    return `${what}ltdb: block not found${this.lagHint({ workchain, shard, seqno })}`
  }

  /** Suffix that the node adds if the requested block is ahead of it. */
  private lagHint(id: { workchain: number; shard: ShardId; seqno: number }): string {
    const head = this.headSeqno
    if (id.workchain === MASTERCHAIN) return id.seqno > head ? ` (last known masterchain block: ${head})` : ''
    const newest = Math.max(
      0,
      ...this.shardTops(head)
        .filter((top) => top.workchain === id.workchain && overlap(top.shard, id.shard))
        .map((top) => top.seqno),
    )
    return id.seqno > newest ? ` (possibly out of sync: shard_client_seqno=${head} ls_seqno=${head})` : ''
  }

  bytes(block: ChainBlock): Promise<Buffer> {
    return this.recording.read(block)
  }

  tree(block: ChainBlock): Promise<BlockTree> {
    return this.trees.get(block)
  }

  /** State after the block. Throws if the recording does not start at the zerostate. */
  async state(id: BlockId): Promise<Cell> {
    this.hasZerostate ??= await this.findZerostate()
    if (!this.hasZerostate) throw new Refusal(LITE_ERROR.error, "state already gc'd")
    return this.states.state(id)
  }

  private async findZerostate(): Promise<boolean> {
    const { first, network } = this.recording
    return first === 1 && (await this.recording.zerostate(network.zerostate)) !== undefined
  }
}

const overlap = (a: ShardId, b: ShardId): boolean => shardContains(a, b) || shardContains(b, a)

/** Source: node, `BlockIdExt::is_valid_full`. */
export function checkBlockId(id: BlockId): void {
  const zero = (hash: Buffer) => hash.every((byte) => byte === 0)
  const wrongShard = id.shard === 0n || (id.workchain === MASTERCHAIN && id.shard !== FULL_SHARD)
  if (wrongShard || zero(id.rootHash) || zero(id.fileHash)) throw badRequest('invalid BlockIdExt')
}
