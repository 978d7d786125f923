import { type BlockId, blockKey, DecodeError, formatBlockId, sameBlock } from '@shardwalk/model'
import { ShardFrontierGap, ShardWalkTooLong } from './errors.ts'

/** The part of a loaded block that the walk uses. */
export interface WalkedBlock {
  readonly id: BlockId
  readonly prev: readonly BlockId[]
}

/** What a walk needs: where it begins and ends, and how blocks are loaded. */
export interface WalkRequest<B extends WalkedBlock> {
  /** Shard tops that the masterchain block commits. */
  readonly tops: readonly BlockId[]
  /** Shard tops of the preceding masterchain block, or of an earlier one. */
  readonly previousTops: readonly BlockId[]
  /** Masterchain blocks since then. Default 1. */
  readonly distance?: number
  /** Loads a block by full id. Called in parallel for blocks at the same distance from the tops. */
  readonly load: (id: BlockId) => Promise<B>
  /** Maximum number of blocks to load for each of these masterchain blocks. Default 10,000. */
  readonly maxShardBlocks?: number
}

/** Far above the 8 blocks per shard possible between two masterchain blocks, far below a walk to genesis. */
const MAX_SHARD_BLOCKS = 10_000

/**
 * Shard blocks that a masterchain block commits: all blocks reachable from its tops through predecessors,
 * excluding the previous tops and what lies before them. Predecessors come first; the order depends only on
 * the ids. The walk stops at zerostates (seqno 0), which are not blocks. Throws ShardFrontierGap if a
 * previous top was not reached, ShardWalkTooLong, and whatever `load` throws. A workchain of which the
 * masterchain block names no shard any more has ended: nothing continues its tops.
 */
export async function walkBatch<B extends WalkedBlock>(request: WalkRequest<B>): Promise<readonly B[]> {
  const limit = (request.maxShardBlocks ?? MAX_SHARD_BLOCKS) * (request.distance ?? 1)
  const alive = new Set(request.tops.map(({ workchain }) => workchain))
  const continued = request.previousTops.filter((id) => isBlock(id) && alive.has(id.workchain))
  const missing = new Map(continued.map((id) => [blockKey(id), id]))
  const stops = new Set(request.previousTops.map(blockKey))
  const seen = new Set<string>()
  const found: B[] = []
  for (let wave = request.tops; wave.length > 0; ) {
    const fresh = wave.filter((id) => {
      const key = blockKey(id)
      missing.delete(key)
      if (stops.has(key) || seen.has(key) || !isBlock(id)) return false
      seen.add(key)
      return true
    })
    if (seen.size > limit) throw new ShardWalkTooLong(limit)
    const blocks = await Promise.all(fresh.map((id) => loadChecked(id, request.load)))
    found.push(...blocks)
    wave = blocks.flatMap((block) => block.prev)
  }
  if (missing.size > 0) throw new ShardFrontierGap([...missing.values()])
  return found.sort(byCommitOrder)
}

const isBlock = (id: BlockId): boolean => id.seqno !== 0

async function loadChecked<B extends WalkedBlock>(
  id: BlockId,
  load: (id: BlockId) => Promise<B>,
): Promise<B> {
  const block = await load(id)
  if (!sameBlock(block.id, id))
    throw new DecodeError('id', `asked for ${formatBlockId(id)}, got ${formatBlockId(block.id)}`)
  return block
}

/** A block's seqno is one above its highest predecessor's, so ascending seqnos put predecessors first. */
function byCommitOrder(a: WalkedBlock, b: WalkedBlock): number {
  if (a.id.workchain !== b.id.workchain) return a.id.workchain - b.id.workchain
  if (a.id.seqno !== b.id.seqno) return a.id.seqno - b.id.seqno
  return a.id.shard < b.id.shard ? -1 : a.id.shard > b.id.shard ? 1 : 0
}
