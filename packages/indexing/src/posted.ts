import type { BlockId, RawAddress, RawBlock } from '@shardwalk/model'
import type { UnreadInBlock } from '@shardwalk/pipeline'

/** A Buffer posted to another thread arrives as a Uint8Array; this restores its methods. */
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const restoredId = (id: BlockId): BlockId => ({
  ...id,
  rootHash: asBuffer(id.rootHash),
  fileHash: asBuffer(id.fileHash),
})

/** What another thread posted, with Buffers again. */
export const restoredAddress = ({ workchain, hash }: RawAddress): RawAddress => ({
  workchain,
  hash: asBuffer(hash),
})

/** A block after it was posted between threads, where a Buffer becomes a Uint8Array. */
export const restoredBlock = ({ id, bytes }: RawBlock): RawBlock => ({
  id: restoredId(id),
  bytes: asBuffer(bytes),
})

/** As `restoredBlock`, for a part that could not be decoded. */
export const restoredUnread = ({ block, part }: UnreadInBlock): UnreadInBlock => ({
  block: restoredId(block),
  part: {
    ...part,
    account: restoredAddress(part.account),
    hash: asBuffer(part.hash),
    ...(part.boc && { boc: asBuffer(part.boc) }),
  },
})
