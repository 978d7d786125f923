import type { Db, Row } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { narrowByTime } from '../blocks/index.ts'
import {
  all,
  type Condition,
  direction,
  hasTime,
  intersect,
  isAnyOf,
  isEmpty,
  KEEP_PLAN,
  type KeysetColumn,
  type KeysetOrder,
  type KeysetSlice,
  type LtRange,
  type Page,
  readKeyset,
  type SortedPageRequest,
  type Statement,
  selected,
  statement,
  type TimeRange,
  timeConditions,
  timesAfter,
  timesUpTo,
  withKey,
} from '../idiom/index.ts'
import { type EventList, type EventTable, isConfirmed, ltBetween } from './event-lists.ts'
import { listToRead } from './list-to-read.ts'

/** Columns that all token events have. */
export type TokenEvent = Pick<
  Row<'jetton_transfers'>,
  'account_id' | 'lt' | 'now' | 'aborted' | 'query_id' | 'response_id' | 'custom_payload'
>

/** Of the transaction of an event. */
export type OfTransaction = Pick<Row<'transactions'>, 'hash'> & Pick<Row<'traces'>, 'trace_id'>

/** Types of PostgreSQL by column that all token events have. */
export const TOKEN_EVENT_TYPES = {
  account_id: 'int8',
  lt: 'int8',
  now: 'int4',
  aborted: 'bool',
  query_id: 'numeric',
  response_id: 'int8',
  custom_payload: 'bytea',
} as const

/** Time range of the events. */
export interface TokenEventWindow {
  readonly lt: LtRange
  readonly time: TimeRange
}

export interface TokenEventSelection<Event extends TokenEvent> extends TokenEventWindow {
  /** Identifies the list in cursors. */
  readonly name: string
  readonly table: EventTable
  readonly statement: Statement<Event>
  /** The events that are in all of these lists, of which the first one is mostly the shortest. */
  readonly lists: readonly EventList[]
}

/**
 * Confirmed events. Order: lt, or time when the filter bounds it; ties by account. The sorted lists of
 * several columns are merged, each read along its own index and only as far as the page reaches; the planner
 * does not do that by itself. Index: (column, lt) of each column of the list that is read, else (lt) or
 * (now), of which a second is sorted when it is read.
 */
export async function readTokenEvents<Event extends TokenEvent>(
  db: Db,
  selection: TokenEventSelection<Event>,
  page: SortedPageRequest,
): Promise<Page<Event & OfTransaction>> {
  const { rows, ...found } = await readEvents(db, selection, page)
  return { ...found, rows: await withTransactions(db, rows) }
}

function readEvents<Event extends TokenEvent>(
  db: Db,
  selection: TokenEventSelection<Event>,
  page: SortedPageRequest,
): Promise<Page<Event>> {
  const order = orderOf<Event>(selection, page)
  return readKeyset(page, order, async (slice) => {
    const { table, lists } = selection
    const { limit, offset, orderBy } = slice
    const rest = await restOf(db, selection, { ...slice, sort: page.sort })
    if (isEmpty(rest.lt)) return []
    const by = await listToRead(db, { ...selection, lt: rest.lt }, page)
    const whole = { ...rest, by, lists, table }
    // Their indexes have the order of lt alone.
    const isByTime = by && hasTime(rest.time)
    const window = isByTime ? await upToReach(db, whole, { ...slice, sort: page.sort }) : whole
    if (!window) return []
    const first = isByTime ? sql`order by ${orderBy} limit ${limit + offset}` : firstByLt(slice, page)
    const events = by
      ? eventsOf(window, slice, first)
      : sql`(select e.* from ${sql.table(table)} e where ${conditionsOn(window, slice)})`
    return selection.statement.rows(
      db,
      sql`select ${selected('e', selection.statement.types)} from ${events} e
        order by ${orderBy} limit ${limit} offset ${offset}`,
    )
  })
}

/** The window from the cursor on. The whole table has an index on time, so that its lt need not be known. */
async function restOf(
  db: Db,
  { lists, lt, time }: Pick<TokenEventSelection<TokenEvent>, 'lists' | keyof TokenEventWindow>,
  { position: [at] = [], sort }: Pick<KeysetSlice, 'position'> & Pick<SortedPageRequest, 'sort'>,
): Promise<TokenEventWindow> {
  if (lists.length === 0) return { lt, time }
  if (hasTime(time))
    return narrowByTime(db, { lt, time }, timesAfter(at === undefined ? at : Number(at), sort))
  if (at === undefined) return { lt, time }
  const [from, to] = sort === 'asc' ? [BigInt(at), lt.to] : [lt.from, BigInt(at)]
  return { lt: intersect(lt, { from, to }), time }
}

interface Window extends Omit<TokenEventSelection<TokenEvent>, 'name' | 'statement'> {
  /** The list that is read; undefined: the whole table. */
  readonly by: EventList | undefined
}

const isIn = ({ columns, ids }: EventList): Condition =>
  sql`(${sql.join(
    columns.map((column) => isAnyOf(`e.${column}`, ids)),
    sql` or `,
  )})`

function conditionsOn(
  { by, lists, lt, table, time }: Window,
  { after }: Pick<KeysetSlice, 'after'>,
): Condition {
  return all([
    isConfirmed(table),
    after,
    ltBetween(lt),
    ...timeConditions(sql`e.now`, time),
    ...lists.filter((list) => list !== by).map(isIn),
  ])
}

/** Subquery: the events of each owner and column. `first`: clauses that order and limit those of one. */
function eventsOf(
  window: Window,
  slice: Pick<KeysetSlice, 'after'>,
  first: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { columns, ids } = window.by!
  const where = conditionsOn(window, slice)
  const ofColumn = (column: string): RawBuilder<unknown> => sql`
    (select x.* from unnest(${ids}::int8[]) o(id) cross join lateral (
      select e.* from ${sql.table(window.table)} e
      where ${sql.ref(`e.${column}`)} = o.id and ${where} ${first}) x)`
  return sql`(${sql.join(columns.map(ofColumn), sql` union `)})`
}

/**
 * With ties, so that the index has all of the order: for whatever is to be sorted besides, the planner, which
 * expects as many events of each owner as there are on average, reads all of an exchange's.
 */
const firstByLt = (
  { limit, offset }: Pick<KeysetSlice, 'limit' | 'offset'>,
  { sort }: Pick<SortedPageRequest, 'sort'>,
): RawBuilder<unknown> => sql`order by e.lt ${direction(sort)} fetch first (${limit + offset}) rows with ties`

/** Raw: a range of lt bounds the scan. Index: (column, lt) of each column of the list that is read. */
const REACH = statement<{ readonly reach: number | null }>(
  'time up to which the first token events by lt reach',
  { reach: 'int4' },
)

/**
 * The part of a window that has the events of a slice ordered by time. As with messages, the first ones by lt
 * give a time before which there are enough, and a proven range of lt has all events up to it. Undefined:
 * there are none.
 */
async function upToReach(
  db: Db,
  window: Window,
  { sort, ...slice }: KeysetSlice & Pick<SortedPageRequest, 'sort'>,
): Promise<Window | undefined> {
  const last = sort === 'asc' ? sql`max(e.now)` : sql`min(e.now)`
  const events = eventsOf(window, slice, firstByLt(slice, { sort }))
  const [first] = await REACH.rows(
    db,
    sql`select ${last} as reach from (
      select e.now from ${events} e order by e.lt ${direction(sort)} limit ${slice.limit + slice.offset}) e`,
  )
  const { reach } = first!
  return reach === null ? undefined : narrowByTime(db, window, timesUpTo(reach, sort))
}

/** Raw: an array of keys with a kept plan. Index: primary key of transactions. */
const TRANSACTIONS = statement<TransactionOfKey>('transactions of token events', {
  account_id: 'int8',
  lt: 'int8',
  hash: 'bytea',
  trace_id: 'bytea',
})
type TransactionOfKey = Pick<TokenEvent, 'account_id' | 'lt'> & OfTransaction

/** By a statement of its own, because that of the events is planned for its values. */
async function withTransactions<Event extends TokenEvent>(
  db: Db,
  events: readonly Event[],
): Promise<readonly (Event & OfTransaction)[]> {
  if (events.length === 0) return []
  const lts = events.map((event) => event.lt)
  const rows = await TRANSACTIONS.rows(
    db,
    sql`
    ${KEEP_PLAN} select t.account_id, t.lt, t.hash, trace_id_of(t.piece) as trace_id
    from unnest(${events.map((event) => event.account_id)}::int8[], ${lts}::int8[]) as k(account_id, lt)
    cross join lateral (${withKey('transactions', 'k', lts)}) t`,
  )
  const keyOf = ({ account_id, lt }: Pick<TokenEvent, 'account_id' | 'lt'>) => `${account_id} ${lt}`
  const found = new Map(rows.map((row) => [keyOf(row), row]))
  return events.flatMap((event) => {
    const transaction = found.get(keyOf(event))
    return transaction ? [{ ...event, ...transaction }] : []
  })
}

const LT_AND_ACCOUNT: readonly KeysetColumn[] = [
  [sql`e.lt`, 'int8'],
  [sql`e.account_id`, 'int8'],
]

function orderOf<Event extends TokenEvent>(
  { name, time }: Pick<TokenEventSelection<Event>, 'name' | 'time'>,
  { sort }: SortedPageRequest,
): KeysetOrder<Event> {
  if (!hasTime(time))
    return {
      name,
      sort,
      columns: LT_AND_ACCOUNT,
      position: (row) => [row.lt, row.account_id],
    }
  return {
    name: `${name}-time`,
    sort,
    columns: [[sql`e.now`, 'int4'], ...LT_AND_ACCOUNT],
    position: (row) => [row.now, row.lt, row.account_id],
  }
}
