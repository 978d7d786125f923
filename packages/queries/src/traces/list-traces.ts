import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { requireBatchExtent } from '../blocks/index.ts'
import {
  ALL_LT,
  all,
  beyond,
  type Condition,
  direction,
  hasTime,
  isEmpty,
  type Page,
  readPage,
  type SortedPageRequest,
  statement,
  timeConditions,
} from '../idiom/index.ts'
import { tracesOfAccount } from './account-traces.ts'
import {
  TRACE_COLUMNS,
  TRACE_CURSOR,
  TRACE_TYPES,
  type TraceFilter,
  type TraceRow,
  type TraceScan,
  type TraceSlice,
} from './trace-filter.ts'

/**
 * Complete traces, and those named by an id in whatever state, ordered by `end_lt <sort>, trace_id <sort>`,
 * or by `end_utime` first when time is bounded.
 * Throws `MasterchainBlockNotIndexed`. Index: traces (end_lt), (end_utime), (mc_seqno_end), the primary key;
 * for an account, those of `tracesOfAccount`.
 */
export async function listTraces(
  db: Db,
  filter: TraceFilter,
  page: SortedPageRequest,
): Promise<Page<TraceRow>> {
  if (filter.mcBlockSeqno !== undefined) await requireBatchExtent(db, filter.mcBlockSeqno)
  const scan = { ...filter, lt: filter.lt ?? ALL_LT, time: filter.time ?? {} }
  const order = { cursor: TRACE_CURSOR, by: hasTime(scan.time) ? 'time' : 'lt' }
  return readPage(page, order, (slice) => readTraces(db, scan, slice))
}

/** Raw: the flags are lookups per row. */
const TRACES = statement<TraceRow>('traces', TRACE_TYPES)

async function readTraces(db: Db, scan: TraceScan, slice: TraceSlice): Promise<readonly TraceRow[]> {
  if (isEmpty(scan.lt)) return []
  const to = direction(slice.sort)
  const order = hasTime(scan.time)
    ? sql`r.end_utime ${to}, r.trace_id ${to}`
    : sql`r.end_lt ${to}, r.trace_id ${to}`
  const conditions = conditionsOf(scan, slice)
  if (scan.account !== undefined) {
    const ids = await tracesOfAccount(db, scan.account, { scan, slice, conditions })
    if (ids.length === 0) return []
    conditions.push(sql`r.trace_id = any(${ids}::bytea[])`)
  }
  return TRACES.rows(
    db,
    sql`
    select ${TRACE_COLUMNS} from traces r where ${all(conditions)}
    order by ${order} limit ${slice.limit} offset ${slice.offset}`,
  )
}

/** Conditions on the table aliased `r`, except that on the account. */
function conditionsOf(scan: TraceScan, slice: TraceSlice): Condition[] {
  const byTime = hasTime(scan.time)
  const conditions: Condition[] = [
    // A trace that is named is returned even if it is not complete.
    ...(scan.traceIds ? [] : [sql`r.state = 0`]),
    sql`r.end_lt between ${scan.lt.from} and ${scan.lt.to}`,
    ...timeConditions(sql`r.end_utime`, scan.time),
  ]
  if (scan.traceIds) conditions.push(sql`r.trace_id = any(${scan.traceIds}::bytea[])`)
  if (scan.mcBlockSeqno !== undefined) conditions.push(sql`r.mc_seqno_end = ${scan.mcBlockSeqno}`)
  if (slice.after) {
    const { end_lt, end_utime, trace_id } = slice.after
    const key = byTime ? sql`r.end_utime, r.trace_id` : sql`r.end_lt, r.trace_id`
    conditions.push(sql`(${key}) ${beyond(slice.sort)} (${byTime ? end_utime : end_lt}, ${trace_id})`)
  }
  return conditions
}
