import { decodePredecessors, decodeSkeleton } from '@shardwalk/blocks'
import { type BlockId, type BlockSkeleton, DecodeError, type RawBlock } from '@shardwalk/model'
import { WrongBytes } from './errors.ts'

/** Paths of `DecodeError` that mean "not this block", as opposed to "this block, but unreadable". */
const IDENTITY_CHECKS = ['file_hash', 'root_hash', 'id']

/** Header part of a block; undefined when the bytes are right but cannot be decoded. Throws `WrongBytes`. */
export function readSkeleton(raw: RawBlock): BlockSkeleton | undefined {
  try {
    return decodeSkeleton(raw)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    if (IDENTITY_CHECKS.includes(error.path)) throw new WrongBytes(error.message, { cause: error })
    return undefined
  }
}

/**
 * Predecessors of a block, for which its header must be readable and nothing else; undefined when it is not.
 * Throws `WrongBytes`.
 */
export function readPredecessors(raw: RawBlock): readonly BlockId[] | undefined {
  const skeleton = readSkeleton(raw)
  if (skeleton) return skeleton.prev
  try {
    return decodePredecessors(raw)
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
