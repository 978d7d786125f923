import { walkBatch } from '@shardwalk/blocks'
import {
  type BlockId,
  type BlockSkeleton,
  type RawBlock,
  type ShortBlockId,
  shardContains,
} from '@shardwalk/model'
import type { EarlyShardBlocks } from './early-shard-blocks.ts'
import type { AskOptions, BlockSource } from './ports.ts'
import { readPredecessors } from './skeleton.ts'

/** A masterchain block, and where the walk to its shard blocks begins. */
export interface ShardRequest {
  readonly masterchain: BlockSkeleton
  /** Shard tops of the previous masterchain block that can be decoded. */
  readonly previousTops: readonly BlockId[]
  /** Masterchain blocks since then, `masterchain` included. */
  readonly distance: number
  readonly source: Pick<BlockSource, 'getBlock' | 'findBlock'>
  readonly early: EarlyShardBlocks
  readonly asking: AskOptions
  /** Called when a block has arrived. */
  readonly onBlock?: (() => void) | undefined
}

/**
 * Shard blocks that a masterchain block commits, predecessors first, fetched in parallel as they become
 * known.
 */
export async function fetchShards({
  masterchain,
  previousTops,
  distance,
  source,
  early,
  asking,
  onBlock,
}: ShardRequest): Promise<RawBlock[]> {
  const tops = masterchain.shardTops ?? []
  const options = { ...asking, mcBlockSeqno: masterchain.id.seqno }
  const getBlock = (id: BlockId) => (asking.urgent ? early.get(id, options) : source.getBlock(id, options))
  if (asking.urgent && source.findBlock)
    // The walk fetches what a failure here leaves out.
    for (const id of predecessors(tops, previousTops))
      source
        .findBlock(id, options)
        .then(getBlock)
        .catch(() => {})
  const walked = await walkBatch({
    tops,
    previousTops,
    distance,
    load: async (id) => {
      const raw = { id, bytes: await getBlock(id) }
      onBlock?.()
      return { id, raw, prev: readPredecessors(raw) ?? overlapping(id, previousTops) }
    },
  })
  early.complete(walked.map(({ id }) => id))
  return walked.map(({ raw }) => raw)
}

/** A longer chain of blocks between two tops indicates an error. */
const MAX_BETWEEN = 16

/**
 * Seqnos of the blocks between the previous tops and these. Following hash references takes a round trip per
 * block, whereas seqnos are known at once. A top's direct predecessor is left out, because a lookup takes as
 * long as the top that names it. After a merge one of the two parents is left out.
 */
function* predecessors(tops: readonly BlockId[], previousTops: readonly BlockId[]): Generator<ShortBlockId> {
  for (const { workchain, shard, seqno } of tops) {
    const last = seqnoBefore({ workchain, shard }, previousTops)
    for (let between = seqno - 2; between > last && seqno - between <= MAX_BETWEEN; between--)
      yield { workchain, shard, seqno: between }
  }
}

/** Number of blocks between the previous tops and these; after a merge, of the longer of the two parents. */
export const blocksBetween = (previousTops: readonly BlockId[], tops: readonly BlockId[]): number =>
  tops.reduce((sum, top) => sum + top.seqno - seqnoBefore(top, previousTops), 0)

/** The first blocks of a workchain follow its zerostate. */
const seqnoBefore = (shard: Omit<ShortBlockId, 'seqno'>, previousTops: readonly BlockId[]): number =>
  Math.max(0, ...overlapping(shard, previousTops).map((top) => top.seqno))

/** Tops of the shards that contain a shard or are contained in it: its nearest known ancestors. */
const overlapping = (shard: Omit<ShortBlockId, 'seqno'>, tops: readonly BlockId[]): BlockId[] =>
  tops.filter(
    (top) =>
      top.workchain === shard.workchain &&
      (shardContains(top.shard, shard.shard) || shardContains(shard.shard, top.shard)),
  )
