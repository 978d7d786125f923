import { type Cell, forEachLeaf, loadDictRoot } from '@shardwalk/cells'

/**
 * Cells of the messages that a transaction sent, in order. Source: block.tlb `transaction$0111 … ^[
 * in_msg:(Maybe ^(Message Any)) out_msgs:(HashmapE 15 ^(Message Any)) ]`, its first reference.
 */
export function sentMessages(transaction: Cell): readonly Cell[] {
  const messages = transaction.slice().loadRefSlice()
  messages.loadMaybeRefCell()
  const cells: Cell[] = []
  forEachLeaf(loadDictRoot(messages), 15, (value) => {
    cells.push(value.loadRefCell())
  })
  return cells
}
