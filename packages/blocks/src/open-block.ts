import { type Bag, parseBoc, type Slice, sha256 } from '@shardwalk/cells'
import {
  type BlockHeader,
  type BlockId,
  type BlockSkeleton,
  DecodeError,
  formatBlockId,
  formatShortId,
  MASTERCHAIN,
  type RawBlock,
  type UnreadPart,
} from '@shardwalk/model'
import {
  type BlockExtra,
  type BlockInfo,
  configGlobalVersion,
  loadBlock,
  loadBlockExtra,
  loadBlockInfo,
  loadBlockInfoOf,
  loadMcBlockExtra,
  loadShardState,
  loadStateKeyBlocks,
  type McBlockExtra,
} from '@shardwalk/tlb'

/** How far a block is verified, and which parts of it are left out. */
export interface DecodeOptions {
  /**
   * `file` (default): SHA-256 of the file must equal the id's file hash; hashes stored in the file are then
   * trusted. Suitable for an id from a verified block, because validators sign both hashes together. `cells`:
   * recomputes and compares every hash up to the root hash. For ids of unknown origin.
   */
  readonly verify?: 'file' | 'cells'
  /** Reason to leave out a transaction, or the state after it, without reading it; undefined: it is read. */
  readonly leaveOut?: (part: Pick<UnreadPart, 'kind' | 'account' | 'lt'>) => string | undefined
}

/**
 * A verified block whose transactions are not decoded yet. Its slices are at their start: clone before
 * reading.
 */
export interface OpenBlock {
  readonly skeleton: BlockSkeleton
  readonly bag: Bag
  /** The raw Merkle update: reference 0 is the state before the block, reference 1 the state after. */
  readonly stateUpdate: Slice
  readonly valueFlow: Slice
  readonly extra: BlockExtra
  readonly mcExtra?: McBlockExtra
}

/**
 * Verifies bytes against their id and reads the header, the predecessors and, in masterchain blocks, the
 * shard tops.
 * Throws DecodeError with path `file_hash`, `root_hash` or `id` if the bytes are not the requested block.
 */
export function openBlock(raw: RawBlock, options: DecodeOptions = {}): OpenBlock {
  const cells = options.verify === 'cells'
  checkFileHash(raw)
  const bag = parseBoc(raw.bytes, { verifyCrc: false, trustStoredHashes: !cells, expectedRoots: 1 })
  if (cells) bag.hashAll()
  if (!bag.hashEquals(bag.root, raw.id.rootHash))
    throw new DecodeError(
      'root_hash',
      `${formatBlockId(raw.id)}: the cells hash to ${bag.hash(bag.root).toString('hex')}`,
    )
  const {
    globalId,
    info: infoSlice,
    valueFlow,
    stateUpdate,
    extra: extraSlice,
  } = loadBlock(bag.slice(bag.root))
  const info = loadBlockInfo(infoSlice)
  checkId(raw, info)
  const extra = loadBlockExtra(extraSlice)
  const mcExtra = extra.custom && loadMcBlockExtra(extra.custom.clone())
  if ((info.workchain === MASTERCHAIN) !== (mcExtra !== undefined))
    throw new DecodeError('block_extra.custom', 'present exactly in masterchain blocks')
  const prevKeyBlock = info.prevKeyBlockSeqno > 0 && mcExtra ? findPrevKeyBlock(stateUpdate, info) : undefined
  const skeleton = {
    ...toSkeleton(raw, headerOf(globalId, info, extra), info, mcExtra),
    ...(prevKeyBlock && { prevKeyBlock }),
  }
  return { skeleton, bag, stateUpdate, valueFlow, extra, ...(mcExtra && { mcExtra }) }
}

/**
 * The key block that a masterchain block's header has only by seqno. Its hashes are in the state after the
 * block, in a cell that every masterchain block changes and its update therefore contains. Undefined if the
 * state has a form that is not known: what the block itself contains is what it is.
 */
function findPrevKeyBlock(stateUpdate: Slice, { prevKeyBlockSeqno }: BlockInfo): BlockId | undefined {
  const lastKeyBlock = findLastKeyBlock(stateUpdate)
  if (!lastKeyBlock || lastKeyBlock.seqno === prevKeyBlockSeqno) return lastKeyBlock
  throw new DecodeError(
    'masterchain_state_extra.last_key_block',
    `is ${lastKeyBlock.seqno}, in the header ${prevKeyBlockSeqno}`,
  )
}

function findLastKeyBlock(stateUpdate: Slice): BlockId | undefined {
  try {
    const { custom } = loadShardState(stateUpdate.preloadRefSlice(1))
    return custom && loadStateKeyBlocks(custom.loadRefSlice()).lastKeyBlock
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** Header of a block: what the shard walk needs. Same checks and errors as `openBlock`. */
export const decodeSkeleton = (raw: RawBlock, options?: DecodeOptions): BlockSkeleton =>
  openBlock(raw, options).skeleton

/**
 * Predecessors according to the header, whatever else the block contains. The bytes are not checked. Throws
 * DecodeError.
 */
export function decodePredecessors({ bytes }: Pick<RawBlock, 'bytes'>): readonly BlockId[] {
  const bag = parseBoc(bytes, { verifyCrc: false, trustStoredHashes: true, expectedRoots: 1 })
  return loadBlockInfoOf(bag.slice(bag.root)).info.prev
}

function checkFileHash({ id, bytes }: RawBlock): void {
  const found = sha256(bytes)
  if (!found.equals(id.fileHash))
    throw new DecodeError(
      'file_hash',
      `${formatBlockId(id)}: the ${bytes.length} bytes hash to ${found.toString('hex')}`,
    )
}

function checkId({ id }: RawBlock, info: BlockInfo): void {
  if (info.workchain !== id.workchain || info.shard !== id.shard || info.seqno !== id.seqno)
    throw new DecodeError('id', `asked for ${formatShortId(id)}, the header contains ${formatShortId(info)}`)
}

function headerOf(globalId: number, info: BlockInfo, { randSeed, createdBy }: BlockExtra): BlockHeader {
  const {
    workchain: _workchain,
    shard: _shard,
    seqno: _seqno,
    prev: _prev,
    masterRef: _masterRef,
    ...fields
  } = info
  return { globalId, ...fields, randSeed, createdBy }
}

function toSkeleton(
  raw: RawBlock,
  header: BlockHeader,
  info: BlockInfo,
  mcExtra: McBlockExtra | undefined,
): BlockSkeleton {
  const globalVersion = mcExtra?.config && configGlobalVersion(mcExtra.config)?.version
  return {
    id: raw.id,
    header,
    prev: info.prev,
    ...(mcExtra && { shardTops: mcExtra.shardTops }),
    ...(globalVersion !== undefined && { globalVersion }),
  }
}
