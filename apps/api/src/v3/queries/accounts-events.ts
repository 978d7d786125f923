import type { Db } from '@shardwalk/db'
import type { AccountId, RawAddress } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import type { PageQuery, RequestContext } from '../../http/route.ts'
import type { KeysetOrder, KeysetSlice } from './accounts-keyset.ts'
import { all, type Condition, ltRange, type Sort, timeConditions } from './sql.ts'

/** Columns that all token events have, and those of the transaction that they happened in. */
export interface EventRow {
  readonly account_id: bigint
  readonly lt: bigint
  readonly now: number
  readonly aborted: boolean
  readonly query_id: string
  readonly response_id: bigint | null
  readonly custom_payload: Buffer | null
  readonly forward_payload: Buffer | null
  readonly hash: Buffer
  readonly trace_id: Buffer | null
}

export interface EventsQuery extends PageQuery {
  readonly sort: Sort
  readonly start_utime?: number | undefined
  readonly end_utime?: number | undefined
  readonly start_lt?: bigint | undefined
  readonly end_lt?: bigint | undefined
}

/** By lt, by time once a time bound is given; ties by account. */
export function eventOrder<R extends EventRow>(name: string, query: EventsQuery): KeysetOrder<R> {
  const { sort } = query
  if (query.start_utime === undefined && query.end_utime === undefined)
    return {
      name,
      sort,
      columns: [sql`e.lt`, sql`e.account_id`],
      position: (row) => [row.lt, row.account_id],
    }
  return {
    name: `${name}-time`,
    sort,
    columns: [sql`e.now`, sql`e.lt`, sql`e.account_id`],
    position: (row) => [row.now, row.lt, row.account_id],
  }
}

export function windowConditions(query: EventsQuery): Condition[] {
  const { from, to } = ltRange(query.start_lt, query.end_lt)
  return [
    sql`e.lt between ${from}::int8 and ${to}::int8`,
    ...timeConditions(sql`e.now`, { from: query.start_utime, to: query.end_utime }),
  ]
}

/** Ids of a list parameter; undefined: not given; empty: nothing can match. */
export async function idsOf(
  { db, accounts }: RequestContext,
  addresses: readonly RawAddress[] | undefined,
): Promise<AccountId[] | undefined> {
  return addresses && accounts.idsOf(db, addresses)
}

export interface EventSelection {
  readonly table: 'jetton_transfers' | 'jetton_burns' | 'nft_transfers'
  /** Any of the columns has any of the ids; undefined: everything. */
  readonly by: { readonly columns: readonly string[]; readonly ids: readonly AccountId[] } | undefined
  readonly conditions: readonly Condition[]
}

/**
 * Rows of one or several sorted lists, each read along its own index and no further than the page reaches, merged. Index: (column, lt) of each
 * column in `by`, else (lt) or (now, lt).
 */
export async function listEvents<R extends EventRow>(
  db: Db,
  { table, by, conditions }: EventSelection,
  slice: KeysetSlice,
): Promise<R[]> {
  const { after, orderBy, limit, offset } = slice
  const from = sql.table(table)
  const listed = sql`e.confirmed${table === 'jetton_transfers' ? sql` and not e.aborted` : sql``}`
  const where = all([listed, after, ...conditions])
  const rows = by
    ? sql`(${sql.join(by.columns.map(branch), sql` union `)})`
    : sql`(select e.* from ${from} e where ${where} order by ${orderBy} limit ${limit} offset ${offset})`
  function branch(column: string): RawBuilder<unknown> {
    return sql`(select x.* from unnest(${by?.ids}::int8[]) o(id) cross join lateral (
      select e.* from ${from} e where ${sql.ref(`e.${column}`)} = o.id and ${where}
      order by ${orderBy} limit ${limit + offset}) x)`
  }
  const { rows: found } = await sql<R>`
    select e.*, t.hash, t.trace_id
    from (select * from ${rows} e order by ${orderBy} limit ${limit} offset ${by ? offset : 0}) e
    join transactions t on t.account_id = e.account_id and t.lt = e.lt
    order by ${orderBy}`.execute(db)
  return found
}
