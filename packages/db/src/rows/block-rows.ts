import { type Batch, type DecodedBlock, MASTERCHAIN, shardToSigned } from '@shardwalk/model'
import { RowEncodeError } from '../errors.ts'
import type { CopyBuffer } from './copy-buffer.ts'
import { greatest, least } from './lt.ts'

/** A row per block of the batch, masterchain block last. */
export function writeBlockRows(rows: CopyBuffer, batch: Batch): void {
  for (const block of batch.shards) writeBlock(rows, block, batch)
  writeBlock(rows, batch.masterchain, batch)
}

/** The configuration that the masterchain block commits, and that block itself. */
export function writeShardStateRows(rows: CopyBuffer, { id, shardTops }: DecodedBlock): void {
  if (!shardTops)
    throw new RowEncodeError('shard_state', `masterchain block ${id.seqno} came without its shards`)
  for (const top of [...shardTops, id]) {
    rows.startRow()
    rows.int4(id.seqno)
    rows.int4(top.workchain)
    rows.int8(shardToSigned(top.shard))
    rows.int4(top.seqno)
  }
}

function writeBlock(rows: CopyBuffer, block: DecodedBlock, batch: Batch): void {
  const { id, header, prev } = block
  rows.startRow()
  rows.int4(id.workchain)
  rows.int8(shardToSigned(id.shard))
  rows.int4(id.seqno)
  rows.int4(batch.masterchain.id.seqno)
  rows.bytea(id.rootHash)
  rows.bytea(id.fileHash)
  rows.int4(header.globalId)
  rows.int4(header.version)
  rows.int4(header.flags)
  rows.int4(header.vertSeqno)
  rows.bool(header.afterMerge)
  rows.bool(header.beforeSplit)
  rows.bool(header.afterSplit)
  rows.bool(header.wantMerge)
  rows.bool(header.wantSplit)
  rows.bool(header.keyBlock)
  rows.bool(header.vertSeqnoIncr)
  rows.int4(header.genUtime)
  rows.int8(header.startLt)
  rows.int8(header.endLt)
  rows.int4(header.validatorListHashShort)
  rows.int4(header.genCatchainSeqno)
  rows.int4(header.minRefMcSeqno)
  rows.int4(header.prevKeyBlockSeqno)
  rows.int4(header.masterRefSeqno)
  rows.bytea(header.randSeed)
  rows.bytea(header.createdBy)
  rows.int4(block.transactions.length)
  rows.int4(prev[0]?.seqno ?? missingPredecessor(block))
  rows.int4(prev[1]?.seqno)
  const extent = id.workchain === MASTERCHAIN ? extentOf(batch) : undefined
  rows.int8(extent?.startLt)
  rows.int8(extent?.endLt)
  rows.int4(extent?.maxUtime)
}

function missingPredecessor(block: DecodedBlock): never {
  throw new RowEncodeError('blocks.prev_seqno', `block ${block.id.seqno} names no predecessor`)
}

/** What turns a filter by time into a range of lt. */
function extentOf(batch: Batch): { startLt: bigint; endLt: bigint; maxUtime: number } {
  const headers = [batch.masterchain, ...batch.shards].map((block) => block.header)
  return {
    startLt: headers.map(({ startLt }) => startLt).reduce(least),
    endLt: headers.map(({ endLt }) => endLt).reduce(greatest),
    maxUtime: Math.max(...headers.map(({ genUtime }) => genUtime)),
  }
}
