import type { Db, Row } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import {
  all,
  type Condition,
  hasTime,
  KEEP_PLAN,
  type KeysetColumn,
  type KeysetOrder,
  type LtRange,
  type Page,
  readKeyset,
  type SortedPageRequest,
  type Statement,
  selected,
  statement,
  type TimeRange,
  timeConditions,
  withKey,
} from '../idiom/index.ts'

/** Columns that all token events have. */
export type TokenEvent = Pick<
  Row<'jetton_transfers'>,
  'account_id' | 'lt' | 'now' | 'aborted' | 'query_id' | 'response_id' | 'custom_payload'
>

/** Of the transaction of an event. */
export type OfTransaction = Pick<Row<'transactions'>, 'hash'> & Pick<Row<'traces'>, 'trace_id'>

export type TokenEventRow = TokenEvent & OfTransaction

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

/** Events in which any of the columns has any of the ids; one index is read per column. */
export interface EventOwners {
  readonly columns: readonly string[]
  readonly ids: readonly AccountId[]
}

export interface TokenEventSelection<Event extends TokenEvent> extends TokenEventWindow {
  /** Identifies the list in cursors. */
  readonly name: string
  readonly table: 'jetton_transfers' | 'jetton_burns' | 'nft_transfers'
  readonly statement: Statement<Event>
  /** Undefined selects the events of all owners. */
  readonly by: EventOwners | undefined
  /** Conditions on the table aliased `e`. */
  readonly conditions: readonly Condition[]
}

/**
 * Confirmed events. Order: lt, or time when the filter bounds it; ties by account. The sorted lists of
 * several columns are merged, each read along its own index and only as far as the page reaches; the planner
 * does not do that by itself. Index: (column, lt) of each column of `by`, else (lt) or (now, lt).
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
  const { by, conditions, lt, table, time } = selection
  const from = sql.table(table)
  return readKeyset(page, orderOf<Event>(selection, page), ({ after, orderBy, limit, offset }) => {
    const where = all([
      // Same condition as in the partial indexes.
      sql`e.confirmed${table === 'jetton_transfers' ? sql` and not e.aborted` : sql``}`,
      after,
      sql`e.lt between ${lt.from}::int8 and ${lt.to}::int8`,
      ...timeConditions(sql`e.now`, time),
      ...conditions,
    ])
    const ofColumn = (column: string): RawBuilder<unknown> => sql`
      (select x.* from unnest(${by?.ids}::int8[]) o(id) cross join lateral (
        select e.* from ${from} e where ${sql.ref(`e.${column}`)} = o.id and ${where}
        order by ${orderBy} limit ${limit + offset}) x)`
    const rows = by
      ? sql`(${sql.join(by.columns.map(ofColumn), sql` union `)})`
      : sql`(select e.* from ${from} e where ${where} order by ${orderBy} limit ${limit} offset ${offset})`
    return selection.statement.rows(
      db,
      sql`select ${selected('e', selection.statement.types)} from ${rows} e
        order by ${orderBy} limit ${limit} offset ${by ? offset : 0}`,
    )
  })
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
