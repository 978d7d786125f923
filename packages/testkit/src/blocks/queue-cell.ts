import { Builder, buildDict, buildDictWithExtra, type Cell, forEachLeaf, type Slice } from '@shardwalk/cells'
import { envelope } from './descriptors.ts'
import type { Random } from './random.ts'
import type { GeneratedMessage } from './random-message.ts'

/** What waits in a shard after a block. */
export interface Waiting {
  /** Messages that go to the queue later, by the account that sent them. */
  readonly deferred: readonly (readonly [account: Buffer, readonly GeneratedMessage[]])[]
  /** Messages in the queue, whose dictionary is left out. */
  readonly queueSize: number
}

/**
 * block.tlb `_ out_queue:OutMsgQueue proc_info:ProcessedInfo extra:(Maybe OutMsgQueueExtra) =
 * OutMsgQueueInfo`, `out_msg_queue_extra#0`. The dispatch queue is a HashmapAugE with the least lt.
 */
export function queueCell(random: Random, leastLt: bigint, { deferred, queueSize }: Waiting): Cell {
  const dispatch = buildDictWithExtra(
    deferred.map(([account, messages]) => [account, accountQueue(random, messages)] as const),
    256,
    { leaf: leastOf, fork: least },
  )
  const builder = new Builder().storeBit(false).storeUint(leastLt, 64).storeBit(false)
  builder.storeBit(true).storeUint(0, 4).storeMaybeRef(dispatch?.cell)
  if (dispatch) builder.storeCell(dispatch.extra!)
  else builder.storeUint(0, 64)
  return builder.storeBit(true).storeUint(queueSize, 48).endCell()
}

/** block.tlb `_ messages:(HashmapE 64 EnqueuedMsg) count:uint48 = AccountDispatchQueue`. */
function accountQueue(random: Random, messages: readonly GeneratedMessage[]): Builder {
  const entries = messages.map((message) => {
    const lt = message.createdLt!
    return [lt, new Builder().storeUint(lt, 64).storeRef(envelope(random, message, true))] as const
  })
  return new Builder().storeMaybeRef(buildDict(entries, 64)).storeUint(messages.length, 48)
}

function leastOf(queue: Slice): Builder {
  let found = 0n
  forEachLeaf(queue.loadMaybeRefSlice(), 64, (_, lt) => {
    found = lt.toBigInt()
    return false
  })
  return new Builder().storeUint(found, 64)
}

function least(left: Slice, right: Slice): Builder {
  const lts = [left.loadUintBig(64), right.loadUintBig(64)] as const
  const isLeft = lts[0] < lts[1]
  return new Builder().storeUint(isLeft ? lts[0] : lts[1], 64)
}
