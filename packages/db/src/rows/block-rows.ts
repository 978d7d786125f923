import {
  type Batch,
  type BlockHeader,
  countTransactions,
  type DecodedBlock,
  formatShortId,
  type Lt,
  MASTERCHAIN,
  shardToSigned,
} from '@shardwalk/model'
import type { Tables } from '@shardwalk/tables'
import { RowEncodeError } from '../errors.ts'
import { arrayOf, INT8, int8 } from './copy-arrays.ts'
import type { CopyBuffer } from './copy-buffer.ts'
import { greatest, least } from './lt.ts'

/** `min_ref_mc_seqno` of a block that refers to none. Source: node, validator/impl/collator-impl.h. */
const NO_SEQNO = 0xffff_ffff

/** A row per block of the batch, masterchain block last. */
export function writeBlockRows(rows: CopyBuffer<Tables['blocks']>, batch: Batch): void {
  for (const block of batch.shards) writeBlock(rows, block, batch)
  writeBlock(rows, batch.masterchain, batch)
}

/** What does not fit a column is an error of the block, and so of the batch. */
function writeBlock(rows: CopyBuffer<Tables['blocks']>, block: DecodedBlock, batch: Batch): void {
  try {
    writeFields(rows, block, batch)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new RowEncodeError(`block ${formatShortId(block.id)}`, error.message)
  }
}

function writeFields(rows: CopyBuffer<Tables['blocks']>, block: DecodedBlock, batch: Batch): void {
  const { id, header, prev } = block
  rows.startRow()
  rows.int4('workchain', id.workchain)
  rows.int8('shard', shardToSigned(id.shard))
  rows.uint31('seqno', id.seqno)
  rows.uint31('mc_block_seqno', batch.masterchain.id.seqno)
  rows.bytea('root_hash', id.rootHash)
  rows.bytea('file_hash', id.fileHash)
  rows.int4('global_id', header.globalId)
  rows.int4('version', header.version)
  rows.int4('flags', header.flags)
  rows.uint31('vert_seqno', header.vertSeqno)
  rows.bool('after_merge', header.afterMerge)
  rows.bool('before_split', header.beforeSplit)
  rows.bool('after_split', header.afterSplit)
  rows.bool('want_merge', header.wantMerge)
  rows.bool('want_split', header.wantSplit)
  rows.bool('key_block', header.keyBlock)
  rows.bool('vert_seqno_incr', header.vertSeqnoIncr)
  rows.uint31('gen_utime', header.genUtime)
  rows.int8('start_lt', header.startLt)
  rows.int8('end_lt', header.endLt)
  rows.int4('validator_list_hash_short', header.validatorListHashShort)
  rows.uint31('gen_catchain_seqno', header.genCatchainSeqno)
  writeMinRefMcSeqno(rows, header)
  rows.uint31('prev_key_block_seqno', header.prevKeyBlockSeqno)
  rows.uint31('master_ref_seqno', header.masterRefSeqno)
  rows.bytea('rand_seed', header.randSeed)
  rows.bytea('created_by', header.createdBy)
  rows.int4('tx_count', countTransactions(block))
  rows.uint31('prev_seqno', prev[0]?.seqno ?? missingPredecessor(block))
  rows.uint31('prev_seqno_2', prev[1]?.seqno)
  const extent = id.workchain === MASTERCHAIN ? extentOf(batch) : undefined
  rows.int8('batch_start_lt', extent?.startLt)
  rows.int8('batch_end_lt', extent?.endLt)
  rows.int4('batch_max_utime', extent?.maxUtime)
  rows.array('shard_tops', extent && packShardTops(block))
}

/** As in tonlib's replies, -1 stands for none. */
function writeMinRefMcSeqno(rows: CopyBuffer<Tables['blocks']>, { minRefMcSeqno }: BlockHeader): void {
  if (minRefMcSeqno === NO_SEQNO) rows.int4('min_ref_mc_seqno', -1)
  else rows.uint31('min_ref_mc_seqno', minRefMcSeqno)
}

/** The shard configuration that the masterchain block commits: see docs/schema.md, `blocks`. */
function packShardTops({ id, shardTops }: DecodedBlock): Buffer {
  if (!shardTops)
    throw new RowEncodeError('blocks.shard_tops', `masterchain block ${id.seqno} came without its shards`)
  const sorted = shardTops
    .map(({ workchain, shard, seqno }) => ({ workchain, shard: shardToSigned(shard), seqno }))
    .sort((a, b) => a.workchain - b.workchain || (a.shard < b.shard ? -1 : 1))
  return arrayOf(
    INT8,
    sorted.flatMap(({ workchain, shard, seqno }) => [
      int8((BigInt(workchain) << 32n) | BigInt(seqno)),
      int8(shard),
    ]),
  )
}

function missingPredecessor(block: DecodedBlock): never {
  throw new RowEncodeError('blocks.prev_seqno', `block ${block.id.seqno} names no predecessor`)
}

/** The range of lt of the batch, which turns a filter by time into a range of lt. */
function extentOf(batch: Batch): { startLt: Lt; endLt: Lt; maxUtime: number } {
  const headers = [batch.masterchain, ...batch.shards].map((block) => block.header)
  return {
    startLt: headers.map(({ startLt }) => startLt).reduce(least),
    endLt: headers.map(({ endLt }) => endLt).reduce(greatest),
    maxUtime: Math.max(...headers.map(({ genUtime }) => genUtime)),
  }
}
