import { blockOfHash, type Db, mayHaveHash } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { type Condition, KEEP_PLAN, type LtRange, openedWithin, rangeOf, statement } from '../idiom/index.ts'
import { knownPartitions } from './known-partitions.ts'

/** Subquery: the row of the table with a hash, which is given as an expression. */
export type HashSearch = (hash: string) => RawBuilder<unknown>

type Table = 'messages' | 'transactions'

/**
 * Rows with the hashes, which no other rows have. Most hashes that are asked for are new, so the newest
 * partitions are searched before all others, and then those that may have the hash: a statement opens all
 * that it may search. `read`: one statement for some of the hashes, with `search` for each. The first one is
 * for all. Index: (hash).
 */
export async function withHashes<Row extends { readonly hash: Buffer }>(
  db: Db,
  { table, hashes }: { readonly table: Table; readonly hashes: readonly Buffer[] },
  read: (hashes: readonly Buffer[], search: HashSearch, isFirst: boolean) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (hashes.length === 0) return []
  const { newest, isFiltered } = await knownPartitions(db)
  const found = [...(await read(hashes, (hash) => rowWithin(table, hash, sql`x.lt >= ${newest}`), true))]
  const missing = () => {
    const known = new Set(found.map((row) => row.hash.toString('latin1')))
    return hashes.filter((hash) => !known.has(hash.toString('latin1')))
  }
  const others = missing()
  if (others.length === 0) return found
  const readMore = (some: readonly Buffer[], search: HashSearch) => read(some, search, false)
  if (!isFiltered)
    return [...found, ...(await readMore(others, (hash) => rowWithin(table, hash, sql`x.lt < ${newest}`)))]
  const places = await placesOf(db, table, others, newest)
  for (const some of inSteps(places)) {
    const wanted = missing().filter((hash) => some.some((place) => isOf(place, hash)))
    if (wanted.length > 0) found.push(...(await readMore(wanted, (hash) => rowAtPlaces(table, hash, some))))
  }
  return found
}

const rowWithin = (table: Table, hash: string, condition: Condition) =>
  sql`select * from ${sql.table(table)} x where x.hash = ${sql.raw(hash)} and ${condition} limit 1`

/** Range of lt in which the row with a hash may be; null: with any of them. */
interface Place extends LtRange {
  readonly hash: Buffer | null
}

const isOf = (place: Place, hash: Buffer): boolean => place.hash === null || place.hash.equals(hash)

/**
 * Raw: reads one row for each hash and group of filters, before the filters of the group; a kept plan. Index:
 * primary key of hash_filter_bits. Partitions without a filter are searched for all hashes.
 */
const PLACES = statement<{
  readonly hash: Buffer | null
  readonly from_lt: bigint
  readonly to_lt: bigint
}>('partitions that may have a hash', { hash: 'bytea', from_lt: 'int8', to_lt: 'int8' })

/** Newest first. */
async function placesOf(
  db: Db,
  table: Table,
  hashes: readonly Buffer[],
  below: bigint,
): Promise<readonly Place[]> {
  const rows = await PLACES.rows(
    db,
    sql`
    ${KEEP_PLAN} with groups as materialized (
      select group_no, blocks, array_agg(from_lt) as from_lts, array_agg(to_lt) as to_lts,
        array_agg(slot) as slots, range_agg(int8range(from_lt, to_lt)) as ranges
      from hash_filters where of_table = ${sql.lit(table)} and is_complete and from_lt < ${below}
      group by 1, 2
    )
    select h.hash, f.from_lt, least(f.to_lt, ${below}) as to_lt
    from groups g cross join unnest(${hashes}::bytea[]) h(hash)
    left join lateral (
      select bits from hash_filter_bits b
      where b.group_no = g.group_no and b.block = ${sql.raw(blockOfHash('h.hash', 'g.blocks'))} offset 0
    ) b on true
    cross join lateral (
      select f.from_lt, f.to_lt from unnest(g.from_lts, g.to_lts, g.slots) f(from_lt, to_lt, slot)
      where ${sql.raw(mayHaveHash('b.bits', 'f.slot', 'h.hash'))} offset 0
    ) f
    union all
    select null, lower(r), upper(r) from unnest(int8multirange(int8range(0, ${below}))
      - coalesce((select range_agg(ranges) from groups), '{}')) r
    order by from_lt desc`,
  )
  return rows.map(({ hash, from_lt, to_lt }) => ({ hash, from: from_lt, to: to_lt - 1n }))
}

/** More ranges are read at once, by a statement that opens all between the first and the last. */
const FEW = 8

function inSteps(places: readonly Place[]): readonly (readonly Place[])[] {
  const ranges = [...new Set(places.map(({ from }) => from))]
  return ranges.length > FEW ? [places] : ranges.map((from) => places.filter((place) => place.from === from))
}

const rowAtPlaces = (table: Table, hash: string, places: readonly Place[]) => {
  const range = rangeOf(places.flatMap(({ from, to }) => [from, to]))
  if (places.every(({ from }) => from === range.from))
    return rowWithin(table, hash, openedWithin('x.lt', range))
  const columns = [
    places.map((place) => place.hash),
    places.map(({ from }) => from),
    places.map(({ to }) => to),
  ]
  return sql`select o.* from unnest(${columns[0]}::bytea[], ${columns[1]}::int8[], ${columns[2]}::int8[])
      place(hash, from_lt, to_lt)
    cross join lateral (${rowWithin(
      table,
      hash,
      sql`x.lt >= place.from_lt and x.lt <= place.to_lt and ${openedWithin('x.lt', range)}`,
    )}) o
    where coalesce(place.hash = ${sql.raw(hash)}, true) limit 1`
}
