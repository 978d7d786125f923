import { type RawBuilder, sql } from 'kysely'
import { all, type Condition, direction, type LtRange, openedWithin, type Sort } from '../idiom/index.ts'

/**
 * Subquery: the first rows of a list of one account, which `accounts.activity` leads to, so that partitions
 * without rows of it are not opened. `rows`: subquery for the rows within a range of lt, `withinActive`,
 * ordered by lt and limited like this one; the order of the whole is that of lt, but has to be asked for.
 */
export const alongActivity = (
  {
    account,
    sort,
    limit,
  }: {
    readonly account: bigint
    readonly sort: Sort
    readonly limit: number | RawBuilder<unknown>
  },
  rows: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  select x.* from ${activeRanges(sql`${account}::int8`, sort)} cross join lateral (${rows}) x limit ${limit}`

/** The ranges of lt in which an account has rows, aliased `active`. */
export const activeRanges = (account: RawBuilder<unknown>, sort: Sort): RawBuilder<unknown> =>
  sql`active_ranges(${account}, ${sql.lit(sort === 'desc')}) active`

/** The ranges in which all of some accounts have rows, in the order of the list, with the same alias. */
export const sharedActivity = (accounts: readonly bigint[], sort: Sort): RawBuilder<unknown> => {
  const multiranges = accounts.map(
    (account) => sql`(select coalesce(range_agg(int8range(from_lt, to_lt, '[]')), '{}')
      from active_ranges(${account}::int8, false))`,
  )
  return sql`(
    select lower(r) as from_lt, upper(r) - 1 as to_lt from unnest(${sql.join(multiranges, sql` * `)}) r
    order by r ${direction(sort)}
  ) active`
}

/**
 * Bounds on a column of lt: both in the range of lt and in that of `activeRanges`. Of the former alone only
 * the partitions in between are opened.
 */
export const withinActive = (column: string, range: LtRange): Condition =>
  all([
    bothWithin(column, { from: sql`${range.from}::int8`, to: sql`${range.to}::int8` }),
    openedWithin(column, range),
  ])

/**
 * The same for bounds that are expressions. One of them is written as an array, because for a column between
 * two parameters the planner expects few rows and would read them all to sort them. `case` instead of
 * `greatest` and `least`, because postgres_fdw passes it on to an archive server.
 */
export const bothWithin = (
  column: string,
  { from, to }: { readonly from: RawBuilder<unknown>; readonly to: RawBuilder<unknown> },
): Condition =>
  sql`${sql.raw(column)} >= any(array[
      case when active.from_lt > ${from} then active.from_lt else ${from} end])
    and ${sql.raw(column)} <= case when active.to_lt < ${to} then active.to_lt else ${to} end`
