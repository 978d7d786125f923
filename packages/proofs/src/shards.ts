import { type Cell, loadDictRoot, lookup, parseBoc, type Slice } from '@shardwalk/cells'
import {
  type BlockId,
  childShards,
  FULL_SHARD,
  type ShardId,
  type ShardTop,
  type ShortBlockId,
  shardContains,
} from '@shardwalk/model'
import { loadShardDescr, loadShardHashes } from '@shardwalk/tlb'
import { openSingleProof, stateExtra } from './config.ts'
import { prove, proving } from './errors.ts'

/** Fields of `liteServer.allShardsInfo` used by the check. */
export interface AllShardsAnswer {
  readonly proof: Buffer
  readonly data: Buffer
}

/**
 * Tops of all shards that masterchain block `id` commits, by workchain, then left to right. Throws
 * `ProofError`. Source: block.tlb `ShardHashes`.
 */
export function verifyShardTops({ proof, data }: AllShardsAnswer, id: BlockId): readonly ShardTop[] {
  return proving('shards', () => {
    const bag = parseBoc(data, { expectedRoots: 1 })
    const given = bag.slice(bag.root)
    const committed = shardHashesOf(openSingleProof(proof, id.rootHash, 'shards'))
    const isEmpty = !committed.loadBit()
    prove(isEmpty === !given.preloadBit(), 'shards', 'the dictionary differs from the proof')
    prove(isEmpty || committed.refHash(0, 0).equals(given.refHash(0, 0)), 'shards', 'not those of the block')
    return loadShardHashes(given)
  })
}

/**
 * Id of the shard top that covers `wanted.shard` in a masterchain state; undefined if there is none.
 * Source: block.tlb `ShardHashes`, `shard_descr#b`, `shard_descr_new#a`.
 */
export function findShardTop(state: Cell, wanted: ShortBlockId, subject: string): BlockId | undefined {
  return proving(subject, () => findInShardHashes(stateExtra(state, subject), wanted))
}

/**
 * Like `findShardTop`, in a masterchain block, which may be pruned except for the path to the shard.
 */
export function findShardTopInBlock(block: Cell, wanted: ShortBlockId, subject: string): BlockId | undefined {
  return proving(subject, () => findInShardHashes(shardHashesOf(block), wanted))
}

/**
 * Slice of the `ShardHashes` of a masterchain block. Source: block.tlb `block#11ef55aa`, `block_extra`
 * (in_msg_descr, out_msg_descr, account_blocks, rand_seed, created_by, custom), `masterchain_block_extra#cca5
 * key_block:(## 1)`.
 */
function shardHashesOf(block: Cell): Slice {
  const extra = block.slice().skipRefs(3).loadRefSlice()
  const custom = extra
    .skip(32 + 256 + 256)
    .skipRefs(3)
    .loadRefSlice()
  return custom.skip(16 + 1)
}

function findInShardHashes(shardHashes: Slice, wanted: ShortBlockId): BlockId | undefined {
  const workchain = lookup(loadDictRoot(shardHashes), 32, wanted.workchain >>> 0)
  return workchain && descend(workchain.loadRefSlice(), wanted, FULL_SHARD)
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
