import { type Bag, Builder, type Cell, EMPTY_CELL, parseBoc, serializeBoc } from '@shardwalk/cells'

// Other implementations take long to read whole blocks: most cells are of states. Root hashes change.

/**
 * The bag of a block with only its header and its transactions: also the descriptions of messages, which
 * contain them a second time, are empty cells. Source: block.tlb `block_extra`.
 */
export const onlyTransactions = (bytes: Buffer): Buffer =>
  withParts(bytes, (bag, [info, , , extra]) => [
    bag.cell(info),
    EMPTY_CELL,
    EMPTY_CELL,
    onlyRefs(bag, extra, [2]),
  ])

/** The bag of a block with only what transactions and accounts are read from. Source: block.tlb. */
export const onlyTransactionsAndAccounts = (bytes: Buffer): Buffer =>
  withParts(bytes, (bag, [info, , update, extra]) => [
    bag.cell(info),
    EMPTY_CELL,
    onlyRefs(bag, bag.ref(update, 1), [1]),
    onlyRefs(bag, extra, [2, 3]),
  ])

/** The cell with empty cells in place of its other references. */
function onlyRefs(bag: Bag, cell: number, kept: readonly number[]): Cell {
  const from = bag.slice(cell)
  const refs = Array.from({ length: from.remainingRefs }, () => from.loadRef())
  const builder = new Builder().storeBits(from.loadBits(from.remainingBits))
  for (const [index, ref] of refs.entries())
    builder.storeRef(kept.includes(index) ? bag.cell(ref) : EMPTY_CELL)
  return builder.endCell()
}

type Four<T> = readonly [info: T, valueFlow: T, stateUpdate: T, extra: T]

/** The bag of a block with other parts. Source: block.tlb `block#11ef55aa`. */
function withParts(bytes: Buffer, partsOf: (bag: Bag, refs: Four<number>) => Four<Cell>): Buffer {
  const bag = parseBoc(bytes)
  const block = bag.slice(bag.root)
  const builder = new Builder().storeUint(block.loadUint(32), 32).storeInt(block.loadInt(32), 32)
  const refs = [block.loadRef(), block.loadRef(), block.loadRef(), block.loadRef()] as const
  for (const part of partsOf(bag, refs)) builder.storeRef(part)
  return serializeBoc(builder.endCell())
}
