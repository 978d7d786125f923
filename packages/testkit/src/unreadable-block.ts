import { Builder, serializeCanonical, sha256 } from '@shardwalk/cells'
import type { RawBlock } from '@shardwalk/model'

/** A block of which nothing can be decoded, in the place of another one, with the id that it then has. */
export function unreadableBlock({ id }: RawBlock): RawBlock {
  const cell = new Builder().storeInt(id.workchain, 32).storeUint(id.seqno, 32).endCell()
  const bytes = serializeCanonical(cell)
  return { id: { ...id, rootHash: cell.hash(), fileHash: sha256(bytes) }, bytes }
}
