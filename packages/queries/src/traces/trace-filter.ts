import type { Row } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import {
  Cursor,
  hash256,
  int4,
  int8,
  type LtRange,
  type Slice,
  selected,
  type TimeRange,
  tableColumns,
} from '../idiom/index.ts'

const STORED_TYPES = tableColumns(
  'traces',
  'piece',
  'trace_id',
  'external_hash',
  'external_hash_norm',
  'mc_seqno_start',
  'mc_seqno_end',
  'start_lt',
  'end_lt',
  'start_utime',
  'end_utime',
  'nodes',
  'edges',
  'pending_edges',
  'state',
)

/** A trace as listed; the columns are those of the table unless described here. */
export interface TraceRow extends Readonly<Pick<Row<'traces'>, keyof typeof STORED_TYPES>> {
  /** True while the trace waits for the classifier and has no actions. */
  readonly unclassified: boolean
  /** True if the classifier failed. */
  readonly failed: boolean
}

export const TRACE_TYPES = {
  ...STORED_TYPES,
  unclassified: 'bool',
  failed: 'bool',
} as const

/** Columns of the table aliased `r`. */
export const TRACE_COLUMNS = selected('r', TRACE_TYPES, {
  unclassified: `${present('unclassified_traces')} and not ${present('actions')}`,
  failed: present('classification_failures'),
})

/** One lookup per row; PostgreSQL may evaluate `exists` by hashing the whole table. */
function present(table: string): string {
  return `coalesce((select true from ${table} x where x.trace_id = r.trace_id limit 1), false)`
}

/** Columns that order a list of traces. */
export type TracePosition = Pick<TraceRow, 'end_lt' | 'end_utime' | 'trace_id'>

/** A place in a list of traces: end of the trace, then its id. */
export const TRACE_CURSOR = new Cursor<TracePosition>('tr', {
  end_lt: int8,
  end_utime: int4,
  trace_id: hash256,
})

export type TraceSlice = Slice<TracePosition>

/** The conditions are joined by AND. */
export interface TraceFilter {
  /** Bounds end_lt. */
  readonly lt?: LtRange | undefined
  /** Bounds end_utime and orders the list by it. */
  readonly time?: TimeRange | undefined
  readonly traceIds?: readonly Buffer[] | undefined
  /** Only traces that contain a transaction of this account. */
  readonly account?: AccountId | undefined
  readonly mcBlockSeqno?: number | undefined
}

/** What a filter selects. */
export interface TraceScan extends TraceFilter {
  readonly lt: LtRange
  readonly time: TimeRange
}
