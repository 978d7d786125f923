import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { all, direction, type LtRange, type Sort, type SortedPageRequest, statement } from '../idiom/index.ts'
import { type EventList, type EventTable, isConfirmed, ltBetween } from './event-lists.ts'

/** Maximum number of events of a list that may be read and discarded. */
const FEW = 2000

/** Raw: one round trip for several lists. Index: (column, lt) of each column of a list. */
const LIST_TO_READ = statement<{ readonly position: number }>('which list of token events to read', {
  position: 'int4',
})

interface Listed {
  readonly lists: readonly EventList[]
  readonly lt: LtRange
  readonly table: EventTable
}

/**
 * The list to read; undefined if there is none. An exchange has millions of events, of which few are of a new
 * jetton, and a jetton has millions, of which few are of one owner. If all lists are long, it is the one
 * whose first events reach farthest: there it has the fewest to discard.
 */
export async function listToRead(
  db: Db,
  { lists, ...listed }: Listed,
  { sort }: Pick<SortedPageRequest, 'sort'>,
): Promise<EventList | undefined> {
  if (lists.length < 2) return lists[0]
  const short = lists.map((list, n) => {
    const some = sql`select from (${firstLts(list, listed, { sort, limit: FEW })}) e limit ${FEW}`
    return sql`when (select count(*) from (${some}) e) < ${FEW} then ${sql.lit(n)}`
  })
  const reaches = lists.map((list, n) => sql`(${sql.lit(n)}, (${reachOf(list, listed, sort)}))`)
  const [row] = await LIST_TO_READ.rows(
    db,
    sql`select case ${sql.join(short, sql` `)} else (
      select n from (values ${sql.join(reaches)}) r(n, reach)
      order by reach ${direction(sort === 'asc' ? 'desc' : 'asc')} nulls first limit 1) end as position`,
  )
  return lists[row!.position]
}

/** Subquery: the first lts (lt) of each owner (id) and column (side), so many of each. */
function firstLts(
  { columns, ids }: EventList,
  { lt, table }: Omit<Listed, 'lists'>,
  { sort, limit }: { readonly sort: Sort; readonly limit: number },
): RawBuilder<unknown> {
  // No other conditions than those of the indexes, because a list might have to be read for long to find any.
  const confirmed = all([isConfirmed(table), ltBetween(lt)])
  const ofColumn = (column: string, side: number) => sql`
    (select o.id, ${sql.lit(side)} as side, e.lt from unnest(${ids}::int8[]) o(id) cross join lateral (
      select e.lt from ${sql.table(table)} e where ${sql.ref(`e.${column}`)} = o.id
        and ${column === 'account_id' ? ltBetween(lt) : confirmed}
      order by e.lt ${direction(sort)} limit ${limit}) e)`
  return sql.join(columns.map(ofColumn), sql` union all `)
}

/**
 * Select of the lt that the first events of a list reach: of several owners, that of the busiest. Null: none
 * has many.
 */
function reachOf(list: EventList, listed: Omit<Listed, 'lists'>, sort: Sort): RawBuilder<unknown> {
  const limit = Math.ceil(FEW / list.ids.length)
  const [last, nearest] = sort === 'asc' ? [sql`max`, sql`min`] : [sql`min`, sql`max`]
  return sql`select ${nearest}(x.last) from (
    select ${last}(e.lt) as last from (${firstLts(list, listed, { sort, limit })}) e
    group by e.id, e.side having count(*) = ${limit}) x`
}
