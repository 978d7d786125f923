import { walkBatch } from '@shardwalk/blocks'
import { type BlockId, type BlockSkeleton, type RawBlock, shardContains } from '@shardwalk/model'
import { readSkeleton } from './skeleton.ts'

/**
 * Shard blocks that a masterchain block commits, predecessors first, fetched in parallel as they become
 * known.
 */
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
