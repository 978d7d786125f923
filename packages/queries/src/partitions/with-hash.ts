import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { type Condition, openedWithin, rangeOf } from '../idiom/index.ts'
import { knownPartitions } from './known-partitions.ts'
import { type Filtered, type Place, placesOf } from './places.ts'

/** Subquery: the row of the table with a hash, which is given as an expression. */
export type HashSearch = (hash: string) => RawBuilder<unknown>

/**
 * Rows with the hashes, which no other rows have. Most hashes that are asked for are new, so the newest
 * partitions are searched before all others, and then those that may have the hash: a statement opens all
 * that it may search. `read`: one statement for some of the hashes, with `search` for each. The first one is
 * for all. Index: (hash).
 */
export async function withHashes<Row extends { readonly hash: Buffer }>(
  db: Db,
  { table, hashes }: { readonly table: Filtered; readonly hashes: readonly Buffer[] },
  read: (hashes: readonly Buffer[], search: HashSearch, isFirst: boolean) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (hashes.length === 0) return []
  const { newest, filtered } = await knownPartitions(db)
  const found = await read(hashes, (hash) => rowWithin(table, hash, sql`x.lt >= ${newest}`), true)
  const older = without(hashes, found)
  if (older.length === 0) return found
  const readMore: ReadSome<Row> = (some, search) => read(some, search, false)
  const rest = filtered.has(table)
    ? await fromPlaces({ table, hashes: older, places: await placesOf(db, table, older, newest) }, readMore)
    : await readMore(older, (hash) => rowWithin(table, hash, sql`x.lt < ${newest}`))
  return [...found, ...rest]
}

type ReadSome<Row> = (hashes: readonly Buffer[], search: HashSearch) => Promise<readonly Row[]>

interface Sought {
  readonly table: Filtered
  readonly hashes: readonly Buffer[]
  readonly places: readonly Place[]
}

async function fromPlaces<Row extends { readonly hash: Buffer }>(
  { table, hashes, places }: Sought,
  read: ReadSome<Row>,
): Promise<readonly Row[]> {
  const found: Row[] = []
  for (const some of inSteps(places)) {
    const wanted = without(hashes, found).filter((hash) => some.some((place) => isOf(place, hash)))
    if (wanted.length > 0) found.push(...(await read(wanted, (hash) => rowAtPlaces(table, hash, some))))
  }
  return found
}

function without(hashes: readonly Buffer[], found: readonly { readonly hash: Buffer }[]): readonly Buffer[] {
  const known = new Set(found.map((row) => row.hash.toString('latin1')))
  return hashes.filter((hash) => !known.has(hash.toString('latin1')))
}

const rowWithin = (table: Filtered, hash: string, condition: Condition) =>
  sql`select * from ${sql.table(table)} x where x.hash = ${sql.raw(hash)} and ${condition} limit 1`

const isOf = (place: Place, hash: Buffer): boolean => place.key === null || place.key.equals(hash)

/** More ranges are read at once, by a statement that opens all between the first and the last. */
const FEW = 8

function inSteps(places: readonly Place[]): readonly (readonly Place[])[] {
  const ranges = [...new Set(places.map(({ from }) => from))]
  return ranges.length > FEW ? [places] : ranges.map((from) => places.filter((place) => place.from === from))
}

const rowAtPlaces = (table: Filtered, hash: string, places: readonly Place[]) => {
  const range = rangeOf(places.flatMap(({ from, to }) => [from, to]))
  if (places.every(({ from }) => from === range.from))
    return rowWithin(table, hash, openedWithin('x.lt', range))
  const columns = [
    places.map((place) => place.key),
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
