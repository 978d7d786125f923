import { Builder, EMPTY_CELL, parseBoc, serializeCanonical, sha256 } from '@shardwalk/cells'
import type { RawBlock } from '@shardwalk/model'

/** A block of which nothing but the header can be decoded, with the id that it then has. */
export function withHeaderOnly({ id, bytes }: RawBlock): RawBlock {
  const bag = parseBoc(bytes)
  const block = bag.slice(bag.root)
  const builder = new Builder().storeUint(block.loadUint(32), 32).storeInt(block.loadInt(32), 32)
  builder.storeRef(bag.cell(block.loadRef()))
  for (let part = 0; part < 3; part++) builder.storeRef(EMPTY_CELL)
  const cell = builder.endCell()
  const changed = serializeCanonical(cell)
  return { id: { ...id, rootHash: cell.hash(), fileHash: sha256(changed) }, bytes: changed }
}
