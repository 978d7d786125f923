import { type BlockId, formatShard, type ShardId, shardContainsPrefix } from '@shardwalk/model'
import type { RecordedBlock, Recording } from '@shardwalk/sources'

/** A recorded block with the masterchain block that commits it. */
export interface ChainBlock extends RecordedBlock {
  readonly mcBlockSeqno: number
}

/**
 * How a block is looked up in its shard; `utime`: Unix seconds. Source: lite_api.tl, liteServer.lookupBlock.
 */
export type LookupBy = { readonly seqno: number } | { readonly lt: bigint } | { readonly utime: number }

/** Blocks of each shard in order, for lookups; corresponds to the node's lt database. */
export class ShardIndex {
  private readonly shards = new Map<string, { workchain: number; shard: ShardId; blocks: ChainBlock[] }>()
  private readonly byRootHash = new Map<string, ChainBlock>()

  constructor(recording: Recording) {
    for (const { block, mcBlockSeqno } of recording.blocks()) this.add({ ...block, mcBlockSeqno })
  }

  private add(block: ChainBlock): void {
    const { workchain, shard, rootHash } = block.id
    const key = `${workchain}:${formatShard(shard)}`
    const list = this.shards.get(key)
    if (list) list.blocks.push(block)
    else this.shards.set(key, { workchain, shard, blocks: [block] })
    this.byRootHash.set(rootHash.toString('latin1'), block)
  }

  withRootHash(id: BlockId): ChainBlock | undefined {
    return this.byRootHash.get(id.rootHash.toString('latin1'))
  }

  hasWorkchain(workchain: number): boolean {
    return [...this.shards.values()].some((list) => list.workchain === workchain)
  }

  /**
   * Looks up a block. `shard` is taken as an account prefix, including its marker bit, and every shard that
   * contains it is searched: by exact seqno, by lt for the first block with end_lt >= lt, by time for the
   * first with gen_utime >= utime. Only blocks up to masterchain block `head` count.
   */
  lookup(workchain: number, shard: ShardId, by: LookupBy, head: number): ChainBlock | undefined {
    let best: ChainBlock | undefined
    for (const list of this.shards.values()) {
      if (list.workchain !== workchain || !shardContainsPrefix(list.shard, shard)) continue
      const found = find(list.blocks, by)
      if (found && found.mcBlockSeqno <= head && (!best || found.id.seqno < best.id.seqno)) best = found
    }
    return best
  }
}

function find(blocks: readonly ChainBlock[], by: LookupBy): ChainBlock | undefined {
  if ('lt' in by) return blocks[lowerBound(blocks, (block) => block.endLt >= by.lt)]
  if ('utime' in by) return blocks[lowerBound(blocks, (block) => block.genUtime >= by.utime)]
  const block = blocks[lowerBound(blocks, (candidate) => candidate.id.seqno >= by.seqno)]
  return block?.id.seqno === by.seqno ? block : undefined
}

/** Index of the first block that satisfies a monotonic condition. */
function lowerBound(blocks: readonly ChainBlock[], holds: (block: ChainBlock) => boolean): number {
  let low = 0
  let high = blocks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(blocks[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
