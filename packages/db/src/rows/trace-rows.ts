import type { TraceRow } from '@shardwalk/traces'
import { TRACE_STATE } from '../tables/traces.ts'
import { TRACE_COLUMNS } from './columns.ts'
import { CopyBuffer } from './copy-buffer.ts'

/** Rows for COPY into `traces`. */
export function encodeTraceRows(traces: readonly TraceRow[]): {
  rows: number
  bytes: Uint8Array<ArrayBuffer>
} {
  const rows = new CopyBuffer(TRACE_COLUMNS.length, 64 + traces.length * 192)
  for (const trace of traces) {
    rows.startRow()
    rows.bytea(trace.traceId)
    rows.bytea(trace.externalHash)
    rows.bytea(trace.externalHashNorm)
    rows.int4(trace.mcBlockSeqnoStart)
    rows.int4(trace.mcBlockSeqnoEnd)
    rows.int8(trace.startLt)
    rows.int8(trace.endLt)
    rows.int4(trace.startUtime)
    rows.int4(trace.endUtime)
    rows.int4(trace.nodes)
    rows.int4(trace.edges)
    rows.int4(trace.pendingEdges)
    rows.int2(TRACE_STATE.indexOf(trace.state))
  }
  return { rows: rows.rows, bytes: rows.finish() }
}

/** True when there is something to classify: a transaction without any message did nothing that anybody could see. */
export const isClassifiable = ({ state, edges }: TraceRow): boolean => state === 'complete' && edges > 0
