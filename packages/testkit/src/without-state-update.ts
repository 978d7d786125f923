import { Builder, EMPTY_CELL, parseBoc, serializeBoc } from '@shardwalk/cells'

/**
 * The bag of a block with only the new state, or an empty cell, in place of its state update, most of which
 * the oracles do not look at and which `@ton/core` takes long to read. The root hash changes. Source:
 * block.tlb `block#11ef55aa`.
 */
export function withoutStateUpdate(bytes: Buffer, { newState = false } = {}): Buffer {
  const bag = parseBoc(bytes)
  const block = bag.slice(bag.root)
  const builder = new Builder().storeUint(block.loadUint(32), 32).storeInt(block.loadInt(32), 32)
  const [info, valueFlow, update, extra] = Array.from({ length: 4 }, () => block.loadRef())
  const state = newState ? bag.cell(bag.ref(update!, 1)) : EMPTY_CELL
  for (const part of [bag.cell(info!), bag.cell(valueFlow!), state, bag.cell(extra!)]) builder.storeRef(part)
  return serializeBoc(builder.endCell())
}

/**
 * The bag of a block with only its header and its transactions: also the descriptions of messages, which
 * contain them a second time, are empty cells. Source: block.tlb `block_extra`.
 */
export function onlyTransactions(bytes: Buffer): Buffer {
  const bag = parseBoc(bytes)
  const block = bag.slice(bag.root)
  const builder = new Builder().storeUint(block.loadUint(32), 32).storeInt(block.loadInt(32), 32)
  const [info, , , extra] = Array.from({ length: 4 }, () => block.loadRef())
  const from = bag.slice(extra!)
  const refs = Array.from({ length: from.remainingRefs }, () => from.loadRef())
  const kept = new Builder().storeBits(from.loadBits(from.remainingBits))
  for (const [index, ref] of refs.entries()) kept.storeRef(index === 2 ? bag.cell(ref) : EMPTY_CELL)
  for (const part of [bag.cell(info!), EMPTY_CELL, EMPTY_CELL, kept.endCell()]) builder.storeRef(part)
  return serializeBoc(builder.endCell())
}
