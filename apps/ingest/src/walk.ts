import { decodeSkeleton, walkBatch } from '@shardwalk/blocks'
import {
  type BlockId,
  type BlockSkeleton,
  DecodeError,
  IndexerError,
  type RawBlock,
  shardContains,
} from '@shardwalk/model'

/** The source handed out bytes that are not the block that was asked for. */
export class WrongBytes extends IndexerError {
  readonly code = 'wrong_bytes'
  readonly retry = 'later'
}

/** Paths of `DecodeError` that mean "not this block", as opposed to "this block, but unreadable". */
const IDENTITY_CHECKS = ['file_hash', 'root_hash', 'id']

/** Header part of a block; undefined when the bytes are the block's and cannot be read. Throws `WrongBytes`. */
export function readSkeleton(raw: RawBlock): BlockSkeleton | undefined {
  try {
    return decodeSkeleton(raw)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    if (IDENTITY_CHECKS.includes(error.path)) throw new WrongBytes(error.message, { cause: error })
    return undefined
  }
}

/** Shard blocks that a masterchain block commits, predecessors first, fetched in parallel as they become known. */
export async function fetchShards(
  masterchain: BlockSkeleton,
  previousTops: readonly BlockId[],
  getBlock: (id: BlockId) => Promise<Buffer>,
): Promise<RawBlock[]> {
  const walked = await walkBatch({
    tops: masterchain.shardTops ?? [],
    previousTops,
    load: async (id) => {
      const raw = { id, bytes: await getBlock(id) }
      return { id, raw, prev: readSkeleton(raw)?.prev ?? overlapping(id, previousTops) }
    },
  })
  return walked.map(({ raw }) => raw)
}

/** Stands in for the predecessors of an unreadable block, so that the walk ends where it should. */
const overlapping = (id: BlockId, tops: readonly BlockId[]): BlockId[] =>
  tops.filter(
    (top) =>
      top.workchain === id.workchain &&
      (shardContains(top.shard, id.shard) || shardContains(id.shard, top.shard)),
  )
