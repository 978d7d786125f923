import {
  type Budget,
  budgetOf,
  type DictKey,
  forEachLeaf,
  loadDictRoot,
  type Slice,
  spend,
} from '@shardwalk/cells'
import { childShards, DecodeError, FULL_SHARD, type ShardId, type ShardTop } from '@shardwalk/model'

/** Deepest shard prefix. Source: block.tlb `shard_pfx_bits:(#<= 60)`. */
const MAX_SHARD_BITS = 60

/**
 * block.tlb `ShardHashes = HashmapE 32 ^(BinTree ShardDescr)`: tops of all workchains, each in tree order.
 */
export function loadShardHashes(slice: Slice): readonly ShardTop[] {
  const found: Found = { tops: [], budget: budgetOf(slice) }
  const visit = (value: Slice, key: DictKey) => {
    collect(value.loadRefSlice(), key.toInt(), FULL_SHARD, 0, found)
  }
  forEachLeaf(loadDictRoot(slice), 32, visit, found)
  return found.tops
}

interface Found {
  readonly tops: ShardTop[]
  readonly budget: Budget
}

/** `bt_leaf$0 leaf:X`, `bt_fork$1 left:^ right:^`: the path from the root is the shard prefix. */
function collect(tree: Slice, workchain: number, shard: ShardId, depth: number, found: Found): void {
  spend(found.budget, 1)
  if (!tree.loadBit()) {
    found.tops.push(loadShardDescr(tree, workchain, shard))
    return
  }
  if (depth === MAX_SHARD_BITS)
    throw new DecodeError('shard_hashes', `prefix longer than ${MAX_SHARD_BITS} bits`)
  const [left, right] = childShards(shard)
  collect(tree.loadRefSlice(), workchain, left, depth + 1, found)
  collect(tree.loadRefSlice(), workchain, right, depth + 1, found)
}

/** block.tlb `shard_descr#b` and `shard_descr_new#a`: they differ only behind what is read here. */
export function loadShardDescr(slice: Slice, workchain: number, shard: ShardId): ShardTop {
  const tag = slice.loadUint(4)
  if (tag !== 0xa && tag !== 0xb) throw new DecodeError('shard_descr', `unknown tag ${tag.toString(16)}`)
  const seqno = slice.loadUint(32)
  const regMcSeqno = slice.loadUint(32)
  const startLt = slice.loadUintBig(64)
  const endLt = slice.loadUintBig(64)
  const rootHash = slice.loadBytes(32)
  const fileHash = slice.loadBytes(32)
  const beforeSplit = slice.loadBit()
  const beforeMerge = slice.loadBit()
  const wantSplit = slice.loadBit()
  const wantMerge = slice.loadBit()
  // nx_cc_updated and three flag bits.
  slice.skip(4)
  const nextCatchainSeqno = slice.loadUint(32)
  // next_validator_shard
  slice.skip(64)
  const minRefMcSeqno = slice.loadUint(32)
  return {
    workchain,
    shard,
    seqno,
    rootHash,
    fileHash,
    regMcSeqno,
    startLt,
    endLt,
    beforeSplit,
    beforeMerge,
    wantSplit,
    wantMerge,
    genUtime: slice.loadUint(32),
    minRefMcSeqno,
    nextCatchainSeqno,
  }
}
