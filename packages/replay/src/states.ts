import { resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { applyMerkleUpdate, Builder, type Cell, parseRoot } from '@shardwalk/cells'
import { type BlockId, DecodeError, formatBlockId, MASTERCHAIN, RecentMap } from '@shardwalk/model'
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
  private readonly kept: KeptStates

  constructor(
    private readonly recording: Recording,
    private readonly index: ShardIndex,
    private readonly trees: BlockTrees,
  ) {
    this.kept = keptStatesOf(recording)
  }

  /**
   * Root of `ShardStateUnsplit` after the block. Throws `DecodeError` if the recording lacks a block on the
   * way.
   */
  state(id: BlockId): Promise<Cell> {
    return this.kept.inTurn(() => this.make(id))
  }

  private async make(id: BlockId): Promise<Cell> {
    // An explicit stack instead of recursion: there may be thousands of blocks on the way.
    const open: BlockId[] = [id]
    for (let turn = 1; ; turn++) {
      if (turn % STATES_PER_TURN === 0) await nextTurn()
      const wanted = open.at(-1)!
      const missing = this.kept.find(wanted)
        ? []
        : this.predecessors(wanted).filter((prev) => !this.kept.find(prev))
      if (missing.length > 0) {
        open.push(...missing)
        continue
      }
      const state = this.kept.find(wanted) ?? (await this.compute(wanted))
      open.pop()
      if (open.length === 0) return state
    }
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
    this.kept.keep(id, state, { isCheckpoint: mcBlockSeqno % CHECKPOINT_INTERVAL === 0 })
    return state
  }

  private async zerostate(id: BlockId): Promise<Cell> {
    const bytes = await this.recording.zerostate(id)
    if (!bytes) throw new DecodeError('recording', `zerostate of workchain ${id.workchain} is not in it`)
    return parseRoot(bytes)
  }

  private async nextState(id: BlockId): Promise<Cell> {
    return applyMerkleUpdate(this.before(id), await this.trees.stateUpdate(this.block(id)))
  }

  /** The tree from which the Merkle update of a block starts. */
  private before(id: BlockId): Cell {
    const states = this.block(id).prev.map((prev) => this.kept.find(prev)!)
    if (states.length === 1 || id.workchain === MASTERCHAIN) return states[0]!
    const [left, right] = states as [Cell, Cell]
    return new Builder().storeUint(SPLIT_STATE_TAG, 32).storeRef(left).storeRef(right).endCell()
  }
}

/** States by the root hash of their block, or of the zerostate. */
class KeptStates {
  private readonly recent = new RecentMap<string, Cell>(MAX_STATES)
  private readonly checkpoints = new Map<string, Cell>()
  private last: Promise<unknown> = Promise.resolve()

  get size(): number {
    return this.recent.size + this.checkpoints.size
  }

  find(id: BlockId): Cell | undefined {
    const key = keyOf(id)
    const recent = this.recent.get(key)
    if (recent) this.recent.set(key, recent)
    return this.checkpoints.get(key) ?? recent
  }

  keep(id: BlockId, state: Cell, { isCheckpoint }: { readonly isCheckpoint: boolean }): void {
    const states = isCheckpoint ? this.checkpoints : this.recent
    states.set(keyOf(id), state)
  }

  /** One at a time: two queries for neighbouring states would duplicate the work. */
  inTurn(make: () => Promise<Cell>): Promise<Cell> {
    const state = this.last.then(make)
    this.last = state.catch(() => undefined)
    return state
  }
}

const keyOf = ({ workchain, rootHash }: BlockId) => `${workchain} ${rootHash.toString('hex')}`

/** Together: of two long recordings that are served by turns, or of one and many short ones. */
const MAX_STATES_OF_ALL = 3 * MAX_STATES
/** By recording, the one that was served last at the end. */
const kept = new Map<string, KeptStates>()

/** One recording that is served several times, at once or one after the other, is computed once. */
function keptStatesOf({ folder, network, last }: Recording): KeptStates {
  const recording = [resolve(folder), network.zerostate.fileHash.toString('hex'), last].join()
  const states = kept.get(recording) ?? new KeptStates()
  kept.delete(recording)
  let total = [...kept.values()].reduce((sum, { size }) => sum + size, states.size)
  for (const [other, { size }] of kept) {
    if (total <= MAX_STATES_OF_ALL) break
    kept.delete(other)
    total -= size
  }
  kept.set(recording, states)
  return states
}
