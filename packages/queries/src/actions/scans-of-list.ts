import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { narrowByTime } from '../blocks/index.ts'
import {
  all,
  type Condition,
  direction,
  hasTime,
  isEmpty,
  statement,
  timesAfter,
  timesUpTo,
} from '../idiom/index.ts'
import type { ActionSlice } from './action-rows.ts'
import {
  type ActionScan,
  FEW,
  inOrder,
  isAfter,
  notHidden,
  ordered,
  type Scan,
  SHORT,
  scanActions,
  visible,
  wantedTypes,
} from './action-scan.ts'

/**
 * What to read for a page of a list of no account, until the page is full. First the beginning of the list,
 * which is enough for frequent types. Types that are rare there, or ended long ago, are then sought by type,
 * however many other actions lie in between.
 */
export async function* scansOfList(db: Db, scan: ActionScan, slice: ActionSlice): AsyncIterable<Scan> {
  const types = wantedTypes(scan)
  if (types.length === 0) return
  if (types.length > 1 || hasTime(scan.time)) {
    const first = (scan.few ?? FEW) + rowsUpTo(slice)
    yield scanFirst(scan, slice, first)
    if (await isWhole(db, scan, slice, first)) return
  }
  yield* hasTime(scan.time) ? scansByTime(db, scan, slice, types) : [scanByLt(scan, slice, types)]
}

const rowsUpTo = ({ limit, offset }: ActionSlice): number => limit + offset

/** What a list is bounded by, without its types. */
function listConditions(scan: ActionScan, slice: ActionSlice) {
  const { key, bounds, after } = inOrder(scan, slice, 'a')
  return { key, conditions: [...bounds, ...(after ? [isAfter(key, after, slice)] : [])] }
}

/** The columns of the order have names, so that the rows are not sorted again. */
function scanFirst(scan: ActionScan, slice: ActionSlice, first: number): Scan {
  const { key, conditions } = listConditions(scan, slice)
  const named = sql`select a.*, substr(a.trace_id, 1, ${SHORT}) as trace_bytes,
    substr(a.action_id, 1, ${SHORT}) as action_bytes from actions a`
  const [end, , own] = key
  return {
    from: sql`(${named} where ${all(conditions)} order by ${ordered(key, slice)} limit ${first}) a`,
    order: ordered([end!, sql`a.trace_bytes`, own!, sql`a.action_bytes`], slice),
    conditions: visible(scan),
  }
}

/** Raw: the rows up to a limit, in order. Index: actions (trace_end_lt, ...), (trace_end_utime). */
const IS_WHOLE = statement<{ readonly is_whole: boolean }>('whether a list of actions is short', {
  is_whole: 'bool',
})

async function isWhole(db: Db, scan: ActionScan, slice: ActionSlice, rows: number): Promise<boolean> {
  const { key, conditions } = listConditions(scan, slice)
  // In order: PostgreSQL expects rows of a period everywhere in the table, which is in the order of time, and
  // without it may read all that is before them.
  const list = sql`select from actions a where ${all(conditions)}
    order by ${key[0]!} ${direction(slice.sort)} limit ${rows}`
  const [row] = await IS_WHOLE.rows(db, sql`select count(*) < ${rows} as is_whole from (${list}) x`)
  return row!.is_whole
}

/** The first actions of each type, put in order. Index: actions (type, trace_end_lt). */
function scanByLt(scan: ActionScan, slice: ActionSlice, types: readonly string[]): Scan {
  const { key, conditions } = listConditions(scan, slice)
  const order = ordered(key, slice)
  return { from: firstOfTypes({ ...scan, types, conditions }, order, slice), order, conditions: [] }
}

/**
 * The first rows of each type. A range of types in the order of types, although each is one: otherwise the
 * planner, which expects every type to be frequent, would follow the order of the list among all types.
 */
function firstOfTypes(
  {
    types,
    supported,
    conditions,
  }: Pick<ActionScan, 'supported'> & {
    readonly types: readonly string[]
    readonly conditions: readonly Condition[]
  },
  order: Condition,
  slice: ActionSlice,
): Condition {
  return sql`unnest(${types}::text[]) wanted(type) cross join lateral (
    select * from actions a
    where a.type between wanted.type and wanted.type and ${all([notHidden(supported), ...conditions])}
    order by a.type ${direction(slice.sort)}, ${order} limit ${rowsUpTo(slice)}) a`
}

/** Raw: same as `scanByLt`. */
const FIRST_TIMES = statement<{ readonly count: number; readonly reach: number | null }>(
  'time up to which the first actions of types reach',
  { count: 'int4', reach: 'int4' },
)

/**
 * As with messages, the first actions by lt give a time before which enough exist, and a proven range of lt
 * holds all actions up to that time: lt and time of a trace's end are the greatest of all its transactions.
 */
async function* scansByTime(
  db: Db,
  scan: ActionScan,
  slice: ActionSlice,
  types: readonly string[],
): AsyncIterable<Scan> {
  const { sort, after } = slice
  const bounded = await narrowByTime(db, scan, timesAfter(after?.trace_end_utime, sort))
  if (isEmpty(bounded.lt)) return
  const { conditions } = listConditions(scan, slice)
  const byLt = [sql`a.trace_end_lt between ${bounded.lt.from} and ${bounded.lt.to}`, ...conditions]
  const [needed, order] = [rowsUpTo(slice), ordered([sql`a.trace_end_lt`], slice)]
  const reached = sort === 'asc' ? sql`max` : sql`min`
  const [first] = await FIRST_TIMES.rows(
    db,
    sql`select count(*)::int as count, ${reached}(trace_end_utime) as reach
    from (select a.trace_end_utime from ${firstOfTypes({ ...scan, types, conditions: byLt }, order, slice)}
      order by ${order} limit ${needed}) x`,
  )
  const { count, reach } = first!
  if (reach === null) return
  const part = count < needed ? bounded : await narrowByTime(db, bounded, timesUpTo(reach, sort))
  yield scanActions(part, slice, types)
}
