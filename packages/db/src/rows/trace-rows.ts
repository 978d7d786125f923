import { TABLES, TRACE_STATE } from '@shardwalk/tables'
import type { AncestorRow, NamedPiece, TraceRow } from '@shardwalk/traces'
import { CopyBuffer } from './copy-buffer.ts'
import type { EncodedRows } from './encoded-rows.ts'

/** Rows for COPY into `traces`. */
export function encodeTraceRows(traces: readonly NamedPiece[]): EncodedRows {
  const rows = new CopyBuffer(TABLES.traces, 64 + traces.length * 192)
  for (const trace of traces) {
    rows.startRow()
    rows.int8('piece', trace.piece)
    rows.bytea('trace_id', trace.traceId)
    rows.bytea('external_hash', trace.externalHash)
    rows.bytea('external_hash_norm', trace.externalHashNorm)
    rows.int8('external_account_id', trace.externalIn?.accountId)
    rows.int8('external_body_hash8', trace.externalIn?.bodyHash8)
    rows.int4('external_opcode', trace.externalIn?.opcode)
    rows.int4('mc_seqno_start', trace.mcBlockSeqnoStart)
    rows.int4('mc_seqno_end', trace.mcBlockSeqnoEnd)
    rows.int8('start_lt', trace.startLt)
    rows.int8('end_lt', trace.endLt)
    rows.int4('start_utime', trace.startUtime)
    rows.int4('end_utime', trace.endUtime)
    rows.int4('nodes', trace.nodes)
    rows.int4('edges', trace.edges)
    rows.int4('pending_edges', trace.pendingEdges)
    rows.int2('state', TRACE_STATE.indexOf(trace.state))
  }
  return rows.finish()
}

/** Rows for COPY into `trace_pieces`. */
export function encodeAncestorRows(ancestors: readonly AncestorRow[]): EncodedRows {
  const rows = new CopyBuffer(TABLES.trace_pieces, 64 + ancestors.length * 26)
  for (const { piece, ancestor } of ancestors) {
    rows.startRow()
    rows.int8('piece', piece)
    rows.int8('ancestor', ancestor)
  }
  return rows.finish()
}

/** False for a trace without any message, which has no visible effect. */
export const isClassifiable = ({ state, edges }: TraceRow): boolean => state === 'complete' && edges > 0
