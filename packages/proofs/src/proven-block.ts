import { CELL, type Cell } from '@shardwalk/cells'
import { type BlockId, formatShortId } from '@shardwalk/model'
import { type BlockInfo, loadBlockInfoOf } from '@shardwalk/tlb'
import { openSingleProof } from './config.ts'
import { prove, proving } from './errors.ts'

/** A block of which a proof contains at least the header. */
export interface ProvenBlock {
  readonly id: BlockId
  /** Level-0 view; cells omitted by the proof are pruned. */
  readonly root: Cell
  readonly header: BlockInfo
}

/** Opens a header proof and compares it with the id. Throws `ProofError`. */
export function openBlockProof(boc: Buffer, id: BlockId, subject: string): ProvenBlock {
  return provenBlock(openSingleProof(boc, id.rootHash, subject), id, subject)
}

/** Like `openBlockProof`, for a tree whose proof is already open. */
export function provenBlock(root: Cell, id: BlockId, subject: string): ProvenBlock {
  return proving(subject, () => {
    prove(root.hash(0).equals(id.rootHash), subject, `the proof is not for block ${formatShortId(id)}`)
    const header = loadBlockInfoOf(root.slice()).info
    const same = header.workchain === id.workchain && header.shard === id.shard && header.seqno === id.seqno
    prove(same, subject, `the header is that of ${formatShortId(header)}`)
    return { id, root, header }
  })
}

/** Hash of the shard state after the block, from the block's `state_update`. */
export function newStateHash(block: Cell, subject: string): Buffer {
  const update = block.refs[2]
  prove(update?.type === CELL.merkleUpdate, subject, 'the proof does not show the state update')
  return update.data.subarray(33, 65)
}
