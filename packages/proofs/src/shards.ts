import { type Cell, loadDictRoot, lookup, type Slice } from '@shardwalk/cells'
import {
  type BlockId,
  childShards,
  FULL_SHARD,
  type ShardId,
  type ShortBlockId,
  shardContains,
} from '@shardwalk/model'
import { loadShardDescr } from '@shardwalk/tlb'
import { stateExtra } from './config.ts'
import { proving } from './errors.ts'

/**
 * Id of the shard top that covers `wanted.shard` in a masterchain state; undefined if there is none.
 * Source: block.tlb `ShardHashes`, `shard_descr#b`, `shard_descr_new#a`.
 */
export function findShardTop(state: Cell, wanted: ShortBlockId, subject: string): BlockId | undefined {
  return proving(subject, () => {
    const extra = stateExtra(state, subject)
    const workchain = lookup(loadDictRoot(extra), 32, wanted.workchain >>> 0)
    return workchain && descend(workchain.loadRefSlice(), wanted, FULL_SHARD)
  })
}

function descend(tree: Slice, wanted: ShortBlockId, shard: ShardId): BlockId | undefined {
  if (!tree.loadBit())
    return shardContains(shard, wanted.shard) ? loadShardDescr(tree, wanted.workchain, shard) : undefined
  const [left, right] = childShards(shard)
  // A shard wider than this fork has no single top.
  if (shardContains(left, wanted.shard)) return descend(tree.loadRefSlice(), wanted, left)
  if (!shardContains(right, wanted.shard)) return undefined
  return descend(tree.skipRefs(1).loadRefSlice(), wanted, right)
}
