import type { Slice } from '@shardwalk/cells'
import { type BlockId, DecodeError, type ShardId, shardFromPrefix } from '@shardwalk/model'

/** block.tlb `shard_ident$00 shard_pfx_bits:(#<= 60) workchain_id:int32 shard_prefix:uint64`. */
export function loadShardIdent(slice: Slice): { readonly workchain: number; readonly shard: ShardId } {
  if (slice.loadUint(2) !== 0) throw new DecodeError('shard_ident', 'tag is not 00')
  const length = slice.loadUint(6)
  if (length > 60) throw new DecodeError('shard_ident.shard_pfx_bits', `${length} is more than 60`)
  const workchain = slice.loadInt(32)
  return { workchain, shard: shardFromPrefix(slice.loadUintBig(64), length) }
}

/**
 * block.tlb `ext_blk_ref$_`: a block without its shard, which the context gives. `endLt` is its logical time.
 */
export interface ExtBlkRef {
  readonly endLt: bigint
  readonly seqno: number
  readonly rootHash: Buffer
  readonly fileHash: Buffer
}

/** Throws DecodeError. Source: block.tlb, `ext_blk_ref$_`. */
export function loadExtBlkRef(slice: Slice): ExtBlkRef {
  return {
    endLt: slice.loadUintBig(64),
    seqno: slice.loadUint(32),
    rootHash: slice.loadBytes(32),
    fileHash: slice.loadBytes(32),
  }
}

/** The block that a reference means, in the shard that its context gives. */
export const toBlockId = (ref: ExtBlkRef, workchain: number, shard: ShardId): BlockId => ({
  workchain,
  shard,
  seqno: ref.seqno,
  rootHash: ref.rootHash,
  fileHash: ref.fileHash,
})

/** Throws DecodeError unless the next bits are the tag. */
export function expectTag(slice: Slice, bits: number, tag: number, name: string): void {
  const found = slice.loadUint(bits)
  if (found !== tag) throw new DecodeError(name, `tag ${found.toString(16)}, expected ${tag.toString(16)}`)
}
