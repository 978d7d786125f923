import type { Slice } from '@shardwalk/cells'
import {
  type BlockHeader,
  type BlockId,
  childShards,
  DecodeError,
  FULL_SHARD,
  MASTERCHAIN,
  parentShard,
  type ShardId,
} from '@shardwalk/model'
import { expectTag, loadExtBlkRef, loadShardIdent, toBlockId } from './ids.ts'

/** Readers over the four parts of a block, at their starts. `stateUpdate` is the raw Merkle update cell. */
export interface BlockParts {
  readonly globalId: number
  readonly info: Slice
  readonly valueFlow: Slice
  readonly stateUpdate: Slice
  readonly extra: Slice
}

/** `BlockInfo`; after a merge `prev` lists the left and the right predecessor. */
export interface BlockInfo extends Omit<BlockHeader, 'globalId' | 'randSeed' | 'createdBy'> {
  readonly workchain: number
  readonly shard: ShardId
  readonly seqno: number
  readonly prev: readonly BlockId[]
  /** Masterchain block that the collator of a shard block referred to. */
  readonly masterRef?: BlockId
}

/** Readers over the parts of `BlockExtra`; the descriptors and account blocks stand at their HashmapAugE. */
export interface BlockExtra {
  readonly inMsgDescr: Slice
  readonly outMsgDescr: Slice
  readonly accountBlocks: Slice
  readonly randSeed: Buffer
  readonly createdBy: Buffer
  /** `McBlockExtra`, masterchain blocks only. */
  readonly custom?: Slice
}

/**
 * block.tlb `block#11ef55aa global_id:int32 info:^BlockInfo value_flow:^ValueFlow
 * state_update:^(MERKLE_UPDATE ShardState) extra:^BlockExtra`.
 */
export function loadBlock(slice: Slice): BlockParts {
  expectTag(slice, 32, 0x11ef55aa, 'block')
  return {
    globalId: slice.loadInt(32),
    info: slice.loadRefSlice(),
    valueFlow: slice.loadRefSlice(),
    stateUpdate: slice.loadRefExoticSlice(),
    extra: slice.loadRefSlice(),
  }
}

/**
 * Id and header fields alone, from a block or from a proof of its header: the other three parts may be
 * pruned.
 */
export function loadBlockInfoOf(block: Slice): { readonly globalId: number; readonly info: BlockInfo } {
  expectTag(block, 32, 0x11ef55aa, 'block')
  const globalId = block.loadInt(32)
  return { globalId, info: loadBlockInfo(block.loadRefSlice()) }
}

/** block.tlb `block_info#9bc7a987`. */
export function loadBlockInfo(slice: Slice): BlockInfo {
  expectTag(slice, 32, 0x9bc7a987, 'block_info')
  const version = slice.loadUint(32)
  const [notMaster, afterMerge, beforeSplit, afterSplit] = loadFlags(slice)
  const [wantSplit, wantMerge, keyBlock, vertSeqnoIncr] = loadFlags(slice)
  const flags = slice.loadUint(8)
  const seqno = slice.loadUint(32)
  const vertSeqno = slice.loadUint(32)
  const { workchain, shard } = loadShardIdent(slice)
  if (afterMerge && afterSplit) throw new DecodeError('block_info', 'both after_merge and after_split')
  const times = loadTimes(slice)
  const genSoftware = (flags & 1) === 0 ? undefined : findGlobalVersion(slice)
  const masterRef = notMaster
    ? toBlockId(loadExtBlkRef(slice.loadRefSlice()), MASTERCHAIN, FULL_SHARD)
    : undefined
  const prev = loadPrevRef(slice.loadRefSlice(), workchain, shard, afterMerge, afterSplit)
  checkSeqno(seqno, prev)
  return {
    workchain,
    shard,
    seqno,
    prev,
    ...(masterRef && { masterRef }),
    version,
    flags,
    vertSeqno,
    afterMerge,
    beforeSplit,
    afterSplit,
    wantSplit,
    wantMerge,
    keyBlock,
    vertSeqnoIncr,
    notMaster,
    ...times,
    masterRefSeqno: masterRef?.seqno ?? 0,
    ...(genSoftware && { genSoftware }),
  }
}

/** block.tlb `block_info`, from `gen_utime` to `prev_key_block_seqno`. */
const loadTimes = (slice: Slice) => ({
  genUtime: slice.loadUint(32),
  startLt: slice.loadUintBig(64),
  endLt: slice.loadUintBig(64),
  validatorListHashShort: slice.loadUint(32),
  genCatchainSeqno: slice.loadUint(32),
  minRefMcSeqno: slice.loadUint(32),
  prevKeyBlockSeqno: slice.loadUint(32),
})

/** Constructor tag of block.tlb `GlobalVersion`. */
const CAPABILITIES = 0xc4

/** block.tlb `capabilities#c4 version:uint32 capabilities:uint64`; also the content of ConfigParam 8. */
export function loadGlobalVersion(slice: Slice): { readonly version: number; readonly capabilities: bigint } {
  expectTag(slice, 8, CAPABILITIES, 'capabilities')
  return { version: slice.loadUint(32), capabilities: slice.loadUintBig(64) }
}

/**
 * Undefined for a form that is not known: nothing stands in line behind it, and the rest of the header is
 * what it is.
 */
const findGlobalVersion = (slice: Slice) =>
  slice.remainingBits >= 8 && slice.preloadUint(8) === CAPABILITIES ? loadGlobalVersion(slice) : undefined

/** block.tlb `block_extra in_msg_descr:^InMsgDescr … custom:(Maybe ^McBlockExtra)`, tag 4a33f6fd. */
export function loadBlockExtra(slice: Slice): BlockExtra {
  expectTag(slice, 32, 0x4a33f6fd, 'block_extra')
  const inMsgDescr = slice.loadRefSlice()
  const outMsgDescr = slice.loadRefSlice()
  const accountBlocks = slice.loadRefSlice()
  const randSeed = slice.loadBytes(32)
  const createdBy = slice.loadBytes(32)
  const custom = slice.loadMaybeRefSlice()
  return { inMsgDescr, outMsgDescr, accountBlocks, randSeed, createdBy, ...(custom && { custom }) }
}

function loadFlags(slice: Slice): [boolean, boolean, boolean, boolean] {
  return [slice.loadBit(), slice.loadBit(), slice.loadBit(), slice.loadBit()]
}

/** block.tlb `prev_blk_info` and `prev_blks_info`: shards of the predecessors follow from the flags. */
function loadPrevRef(
  slice: Slice,
  workchain: number,
  shard: ShardId,
  afterMerge: boolean,
  afterSplit: boolean,
): readonly BlockId[] {
  if (!afterMerge)
    return [toBlockId(loadExtBlkRef(slice), workchain, afterSplit ? parentShard(shard) : shard)]
  const [left, right] = childShards(shard)
  const first = toBlockId(loadExtBlkRef(slice.loadRefSlice()), workchain, left)
  return [first, toBlockId(loadExtBlkRef(slice.loadRefSlice()), workchain, right)]
}

function checkSeqno(seqno: number, prev: readonly BlockId[]): void {
  const expected = 1 + Math.max(...prev.map((id) => id.seqno))
  if (seqno !== expected)
    throw new DecodeError('block_info.seq_no', `${seqno}, its predecessors ask for ${expected}`)
}
