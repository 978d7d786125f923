import { type Cell, loadDictRoot, lookup } from '@shardwalk/cells'
import { type BlockId, FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import { loadExtBlkRef, toBlockId } from '@shardwalk/tlb'
import { openSingleProof, skipMaybeRef, stateExtra } from './config.ts'
import { prove, proving } from './errors.ts'
import { newStateHash, type ProvenBlock } from './proven-block.ts'

/** A state that a proven block commits to; cells not needed by the proof are pruned. */
export interface ProvenState {
  readonly root: Cell
}

/** Opens the proof of the state after `block`. Throws `ProofError` if it is another state. */
export function proveStateOf(block: ProvenBlock, stateProof: Buffer, subject: string): ProvenState {
  return { root: openSingleProof(stateProof, newStateHash(block.root, subject), subject) }
}

/** An earlier masterchain block as recorded in the state. Source: block.tlb `OldMcBlocksInfo`. */
export function findOldMasterchainBlock(
  state: ProvenState,
  seqno: number,
  subject: string,
): { readonly id: BlockId; readonly isKey: boolean } | undefined {
  return proving(subject, () => {
    const extra = stateExtra(state.root, subject)
    skipMaybeRef(extra)
    const info = extra.skip(256).skipRefs(1).loadRefSlice()
    const found = lookup(loadDictRoot(info.skip(16 + 65)), 32, seqno)
    if (!found) return undefined
    // Extra of the leaf: key:Bool max_end_lt:uint64.
    const isKey = found.skip(1 + 64).loadBit()
    const id = toBlockId(loadExtBlkRef(found), MASTERCHAIN, FULL_SHARD)
    prove(id.seqno === seqno, subject, 'previous block is filed under another seqno')
    return { id, isKey }
  })
}
