import { sha256 } from '@shardwalk/cells'
import type { BlockId, DecodedMessage } from '@shardwalk/model'

/**
 * The random seed of the blocks of an emulated trace, so that equal requests get equal results. It depends on
 * the normalised hash, so that another encoding of the same message draws the same numbers.
 */
export const traceSeed = (message: DecodedMessage, { rootHash }: BlockId): Buffer =>
  sha256(Buffer.concat([message.hashNorm ?? message.hash, rootHash]))
