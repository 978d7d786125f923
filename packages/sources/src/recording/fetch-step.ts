import { decodeSkeleton, walkBatch } from '@shardwalk/blocks'
import { type BlockId, type BlockSkeleton, formatBlockId, type RawBlock, sameBlock } from '@shardwalk/model'
import type { BlockSource, WaitOptions } from '@shardwalk/pipeline'
import { ChainBroken } from './errors.ts'

/** A block with its header decoded. */
export interface ReadBlock extends RawBlock {
  readonly skeleton: BlockSkeleton
  readonly prev: readonly BlockId[]
}

/** A masterchain block and the shard blocks it commits, predecessors first. */
export interface FetchedStep {
  readonly block: ReadBlock
  readonly shards: readonly ReadBlock[]
}

/** Rejects as the source does, and with `DecodeError` if the header cannot be read. */
export async function fetchBlock(
  source: BlockSource,
  id: BlockId,
  options: WaitOptions = {},
): Promise<ReadBlock> {
  const bytes = await source.getBlock(id, options)
  return readBlock({ id, bytes })
}

/** Throws `DecodeError` if the header cannot be read. */
export function readBlock(raw: RawBlock): ReadBlock {
  const skeleton = decodeSkeleton(raw)
  return { ...raw, skeleton, prev: skeleton.prev }
}

/**
 * Loads the shard blocks that `block` commits. `previous` is the preceding masterchain block; undefined for
 * seqno 1.
 */
export async function fetchStep(
  source: BlockSource,
  block: ReadBlock,
  previous: ReadBlock | undefined,
  options: WaitOptions = {},
): Promise<FetchedStep> {
  if (previous && !sameBlock(block.prev[0]!, previous.id))
    throw new ChainBroken(`${formatBlockId(block.id)} does not follow ${formatBlockId(previous.id)}`)
  const shards = await walkBatch({
    tops: block.skeleton.shardTops ?? [],
    previousTops: previous?.skeleton.shardTops ?? [],
    load: (id) => fetchBlock(source, id, options),
  })
  return { block, shards }
}
