import { type BlockId, formatShortId, sameBlock } from '@shardwalk/model'
import { openProofPair, skipMaybeRef } from './config.ts'
import { prove, proving } from './errors.ts'
import { newStateHash, provenBlock } from './proven-block.ts'

/** Fields of `liteServer.blockOutMsgQueueSize` used by the check. */
export interface OutMsgQueueSizeAnswer {
  readonly id: BlockId
  readonly size: bigint
  readonly proof?: Buffer | undefined
}

/**
 * Number of messages in the out queue of the state after block `at`. Throws `ProofError` if the proof shows
 * another.
 * Source: block.tlb `_ out_queue:OutMsgQueue proc_info:ProcessedInfo extra:(Maybe OutMsgQueueExtra) =
 * OutMsgQueueInfo`, `out_msg_queue_extra#0 dispatch_queue:DispatchQueue out_queue_size:(Maybe uint48)`.
 */
export function verifyOutMsgQueueSize({ id, size, proof }: OutMsgQueueSizeAnswer, at: BlockId): bigint {
  const subject = `out message queue of ${formatShortId(at)}`
  prove(sameBlock(id, at), subject, 'the answer is for another block')
  prove(proof !== undefined, subject, 'there is no proof')
  const [block, state] = openProofPair(proof, subject)
  const committed = newStateHash(provenBlock(block, at, subject).root, subject)
  prove(state.hash(0).equals(committed), subject, 'the state is not that of the block')
  return proving(subject, () => {
    // OutMsgQueueInfo is the first reference of the state; out_queue and dispatch_queue are a Maybe ^Cell
    // with an extra.
    const info = state.slice().loadRefSlice()
    skipMaybeRef(info)
    skipMaybeRef(info.skip(64))
    prove(info.loadBit() && info.loadUint(4) === 0, subject, 'the state does not count it')
    skipMaybeRef(info)
    prove(info.skip(64).loadBit() && info.loadUintBig(48) === size, subject, 'the state has another size')
    return size
  })
}
