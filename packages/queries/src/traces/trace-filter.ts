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
)

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
} as const

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
