import type { Row } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import {
  Cursor,
  hash256,
  int4,
  int8,
  type LtRange,
  type RowTypes,
  type Slice,
  selected,
  type TimeRange,
} from '../idiom/index.ts'

const STORED_TYPES = {
  trace_id: 'bytea',
  external_hash: 'bytea',
  external_hash_norm: 'bytea',
  mc_seqno_start: 'int4',
  mc_seqno_end: 'int4',
  start_lt: 'int8',
  end_lt: 'int8',
  start_utime: 'int4',
  end_utime: 'int4',
  nodes: 'int4',
  edges: 'int4',
  pending_edges: 'int4',
} as const satisfies Partial<RowTypes<Row<'traces'>>>

export interface TraceRow extends Readonly<Pick<Row<'traces'>, keyof typeof STORED_TYPES>> {
  /** Waits for the classifier and has no actions yet. */
  readonly unclassified: boolean
  /** The classifier had a fault. */
  readonly failed: boolean
}

export const TRACE_TYPES = {
  ...STORED_TYPES,
  unclassified: 'bool',
  failed: 'bool',
} as const satisfies RowTypes<TraceRow>

/** Of the table under the name `r`. */
export const TRACE_COLUMNS = selected('r', TRACE_TYPES, {
  unclassified: `${present('unclassified_traces')} and not ${present('actions')}`,
  failed: present('classification_failures'),
})

/** One look-up a row: `exists` may be answered by hashing the whole table instead. */
function present(table: string): string {
  return `coalesce((select true from ${table} x where x.trace_id = r.trace_id limit 1), false)`
}

/** Ordering columns of a list of traces. */
export type TracePosition = Pick<TraceRow, 'end_lt' | 'end_utime' | 'trace_id'>

export const TRACE_CURSOR = new Cursor<TracePosition>('tr', {
  end_lt: int8,
  end_utime: int4,
  trace_id: hash256,
})

export type TraceSlice = Slice<TracePosition>

/** Joined by AND. */
export interface TraceFilter {
  /** On end_lt. */
  readonly lt?: LtRange | undefined
  /** On end_utime, which orders the list then. */
  readonly time?: TimeRange | undefined
  readonly traceIds?: readonly Buffer[] | undefined
  /** Only traces with a transaction of this account. */
  readonly account?: AccountId | undefined
  readonly mcBlockSeqno?: number | undefined
}

/** What a filter selects. */
export interface TraceScan extends TraceFilter {
  readonly lt: LtRange
  readonly time: TimeRange
}
