import { type Bag, Builder, type Cell, EMPTY_CELL, parseBoc, serializeBoc } from '@shardwalk/cells'

/**
 * The bag of a block with only the new state, or an empty cell, in place of its state update, most of which
 * the oracles do not look at and which `@ton/core` takes long to read. The root hash changes.
 */
export const withoutStateUpdate = (bytes: Buffer, { newState = false } = {}): Buffer =>
  withParts(bytes, (bag, [info, valueFlow, update, extra]) => [
    bag.cell(info),
    bag.cell(valueFlow),
    newState ? bag.cell(bag.ref(update, 1)) : EMPTY_CELL,
    bag.cell(extra),
  ])

/**
 * The bag of a block with only its header and its transactions: also the descriptions of messages, which
 * contain them a second time, are empty cells. Source: block.tlb `block_extra`.
 */
export const onlyTransactions = (bytes: Buffer): Buffer =>
  withParts(bytes, (bag, [info, , , extra]) => {
    const from = bag.slice(extra)
    const refs = Array.from({ length: from.remainingRefs }, () => from.loadRef())
    const kept = new Builder().storeBits(from.loadBits(from.remainingBits))
    for (const [index, ref] of refs.entries()) kept.storeRef(index === 2 ? bag.cell(ref) : EMPTY_CELL)
    return [bag.cell(info), EMPTY_CELL, EMPTY_CELL, kept.endCell()]
  })

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
