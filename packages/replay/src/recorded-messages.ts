import { openBlock } from '@shardwalk/blocks'
import { type Cell, forEachLeaf, loadDictRoot } from '@shardwalk/cells'
import type { RawBlock } from '@shardwalk/model'
import type { Recording } from '@shardwalk/sources'
import { skipCurrencyCollection } from '@shardwalk/tlb'

/** Source: block.tlb `ext_in_msg_info$10`. */
const EXTERNAL_IN = 0b10

/**
 * External messages that the blocks committed by a masterchain block received: a client that sends one before
 * that block sees it happen. Empty beyond the recording.
 */
export async function recordedMessages(recording: Recording, seqno: number): Promise<readonly Cell[]> {
  const step = recording.step(seqno)
  const blocks = step ? [...step.shards, step.block] : []
  const found: Cell[] = []
  for (const block of blocks)
    found.push(...externalMessages({ id: block.id, bytes: await recording.read(block) }))
  return found
}

/** Cells of the external messages received in a block, by account. */
export function externalMessages(block: RawBlock): readonly Cell[] {
  const messages: Cell[] = []
  // block.tlb `acc_trans#5 account_addr:bits256 transactions:(HashmapAug 64 ^Transaction …)`
  forEachLeaf(loadDictRoot(openBlock(block).extra.accountBlocks.clone()), 256, (account) => {
    skipCurrencyCollection(account)
    forEachLeaf(account.skip(4 + 256), 64, (value) => {
      skipCurrencyCollection(value)
      const message = value.loadRefSlice().loadRefSlice().loadMaybeRefCell()
      if (message?.slice().preloadUint(2) === EXTERNAL_IN) messages.push(message)
    })
  })
  return messages
}
