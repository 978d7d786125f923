import { setImmediate as nextTurn } from 'node:timers/promises'
import { applyMerkleUpdate, Builder, type Cell, parseBoc } from '@shardwalk/cells'
import { type BlockId, blockKey, DecodeError, formatBlockId, MASTERCHAIN } from '@shardwalk/model'
import type { Recording } from '@shardwalk/sources'
import { SPLIT_STATE_TAG } from '@shardwalk/tlb'
import type { BlockTrees } from './block-trees.ts'
import type { ShardIndex } from './shard-index.ts'

/**
 * Number of states to keep: neighbours share nearly all cells, so each costs little more than its changes.
 */
const MAX_STATES = 256
/** States computed per turn of the event loop, so that other queries are answered in between. */
const STATES_PER_TURN = 16
/**
 * Distance in masterchain blocks of states that are kept forever: limits the updates needed for old states.
 */
const CHECKPOINT_INTERVAL = 64

/**
 * Full shard states, computed on demand: the state of a block is that of its predecessors with the block's
 * Merkle update applied, back to the zerostate.
 */
export class StateStore {
  private readonly recent = new Map<string, Cell>()
  private readonly checkpoints = new Map<string, Cell>()
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly recording: Recording,
    private readonly index: ShardIndex,
    private readonly trees: BlockTrees,
  ) {}

  /**
   * Root of `ShardStateUnsplit` after the block. Throws `DecodeError` if the recording lacks a block on the
   * way.
   */
  state(id: BlockId): Promise<Cell> {
    // One at a time: two queries for neighbouring states would duplicate the work.
    const state = this.last.then(() => this.make(id))
    this.last = state.catch(() => undefined)
    return state
  }

  private async make(id: BlockId): Promise<Cell> {
    // An explicit stack instead of recursion: there may be thousands of blocks on the way.
    const open: BlockId[] = [id]
    for (let turn = 1; ; turn++) {
      if (turn % STATES_PER_TURN === 0) await nextTurn()
      const wanted = open.at(-1)!
      const missing = this.cached(wanted)
        ? []
        : this.predecessors(wanted).filter((prev) => !this.cached(prev))
      if (missing.length > 0) {
        open.push(...missing)
        continue
      }
      const state = this.cached(wanted) ?? (await this.compute(wanted))
      open.pop()
      if (open.length === 0) return state
    }
  }

  private cached(id: BlockId): Cell | undefined {
    const key = blockKey(id)
    const kept = this.checkpoints.get(key) ?? this.recent.get(key)
    if (kept && this.recent.delete(key)) this.recent.set(key, kept)
    return kept
  }

  private predecessors(id: BlockId): readonly BlockId[] {
    return id.seqno === 0 ? [] : this.block(id).prev
  }

  private block(id: BlockId) {
    const block = this.index.withRootHash(id)
    if (block) return block
    throw new DecodeError('recording', `${formatBlockId(id)} is not in it, so no state can be made`)
  }

  private async compute(id: BlockId): Promise<Cell> {
    const state = id.seqno === 0 ? await this.zerostate(id) : await this.nextState(id)
    const { mcBlockSeqno } = id.seqno === 0 ? { mcBlockSeqno: 0 } : this.block(id)
    if (mcBlockSeqno % CHECKPOINT_INTERVAL === 0) this.checkpoints.set(blockKey(id), state)
    else this.keep(id, state)
    return state
  }

  private keep(id: BlockId, state: Cell): void {
    this.recent.set(blockKey(id), state)
    if (this.recent.size > MAX_STATES) this.recent.delete(this.recent.keys().next().value!)
  }

  private async zerostate(id: BlockId): Promise<Cell> {
    const bytes = await this.recording.zerostate(id.workchain)
    if (!bytes) throw new DecodeError('recording', `zerostate of workchain ${id.workchain} is not in it`)
    const bag = parseBoc(bytes)
    return bag.cell(bag.root)
  }

  private async nextState(id: BlockId): Promise<Cell> {
    return applyMerkleUpdate(this.before(id), await this.trees.stateUpdate(this.block(id)))
  }

  /** The tree from which the Merkle update of a block starts. */
  private before(id: BlockId): Cell {
    const states = this.block(id).prev.map((prev) => this.cached(prev)!)
    if (states.length === 1 || id.workchain === MASTERCHAIN) return states[0]!
    const [left, right] = states as [Cell, Cell]
    return new Builder().storeUint(SPLIT_STATE_TAG, 32).storeRef(left).storeRef(right).endCell()
  }
}
