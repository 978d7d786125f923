import { sha256 } from '@shardwalk/cells'
import type { BlockId, DecodedMessage } from '@shardwalk/model'

/**
 * The random seed of the blocks of an emulated trace: the same question gets the same answer. It depends on
 * the normalized hash, so that another encoding of the same message draws the same numbers.
 */
export const traceSeed = (message: DecodedMessage, { rootHash }: BlockId): Buffer =>
  sha256(Buffer.concat([message.hashNorm ?? message.hash, rootHash]))
