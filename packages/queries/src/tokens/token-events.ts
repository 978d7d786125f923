import type { Db, Row } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import {
  all,
  type Condition,
  hasTime,
  type KeysetColumn,
  type KeysetOrder,
  type LtRange,
  type Page,
  readKeyset,
  type SortedPageRequest,
  type Statement,
  selected,
  type TimeRange,
  timeConditions,
  withKey,
} from '../idiom/index.ts'

/** Columns that all token events have, and columns of their transaction. */
export type TokenEventRow = Pick<
  Row<'jetton_transfers'>,
  'account_id' | 'lt' | 'now' | 'aborted' | 'query_id' | 'response_id' | 'custom_payload'
> &
  Pick<Row<'transactions'>, 'hash'> &
  Pick<Row<'traces'>, 'trace_id'>

export const TOKEN_EVENT_TYPES = {
  account_id: 'int8',
  lt: 'int8',
  now: 'int4',
  aborted: 'bool',
  query_id: 'numeric',
  response_id: 'int8',
  custom_payload: 'bytea',
  hash: 'bytea',
  trace_id: 'bytea',
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

export interface TokenEventSelection<Row extends TokenEventRow> extends TokenEventWindow {
  /** Identifies the list in cursors. */
  readonly name: string
  readonly table: 'jetton_transfers' | 'jetton_burns' | 'nft_transfers'
  readonly statement: Statement<Row>
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
export function readTokenEvents<Row extends TokenEventRow>(
  db: Db,
  selection: TokenEventSelection<Row>,
  page: SortedPageRequest,
): Promise<Page<Row>> {
  const { by, conditions, lt, statement, table, time } = selection
  const from = sql.table(table)
  const columns = selected('e', statement.types, { hash: 't.hash', trace_id: 'trace_id_of(t.piece)' })
  return readKeyset(page, orderOf<Row>(selection, page), ({ after, orderBy, limit, offset }) => {
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
    return statement.rows(
      db,
      sql`select ${columns}
        from (select * from ${rows} e order by ${orderBy} limit ${limit} offset ${by ? offset : 0}) e
        cross join lateral (${withKey('transactions', 'e')}) t
        order by ${orderBy}`,
    )
  })
}

const LT_AND_ACCOUNT: readonly KeysetColumn[] = [
  [sql`e.lt`, 'int8'],
  [sql`e.account_id`, 'int8'],
]

function orderOf<Row extends TokenEventRow>(
  { name, time }: Pick<TokenEventSelection<Row>, 'name' | 'time'>,
  { sort }: SortedPageRequest,
): KeysetOrder<Row> {
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
