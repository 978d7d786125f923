import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { type Condition, openedWithin, rangeOf } from '../idiom/index.ts'
import { type HashLookUp, type HashSearch, readByHash, readOrPlace } from './hash-look-up.ts'
import { knownPartitions } from './known-partitions.ts'
import type { Filtered, Place } from './places.ts'

/**
 * Rows with the hashes, which no other rows have. Most hashes that are asked for are new, so the newest
 * partitions are searched before all others, and then those that may have the hash: a statement opens all
 * that it may search. Raw: kept plans. Index: (hash), and that of `selectPlaces`.
 */
export async function withHashes<Row extends { readonly hash: Buffer }>(
  db: Db,
  hashes: readonly Buffer[],
  by: HashLookUp<Row>,
): Promise<readonly Row[]> {
  if (hashes.length === 0) return []
  const { newest, filtered } = await knownPartitions(db)
  const { table } = by
  const select = by.select(hashes, (hash) => rowWithin(table, hash, sql`x.lt >= ${newest}`), true)
  const { rows, places } = filtered.has(table)
    ? await readOrPlace(db, by, { select, hashes, below: newest })
    : { rows: await readByHash(db, by, select), places: undefined }
  const older = without(hashes, rows)
  if (older.length === 0) return rows
  const readMore: ReadSome<Row> = (some, search) => readByHash(db, by, by.select(some, search, false))
  const rest = places
    ? await fromPlaces({ table, hashes: older, places }, readMore)
    : await readMore(older, (hash) => rowWithin(table, hash, sql`x.lt < ${newest}`))
  return [...rows, ...rest]
}

interface Sought {
  readonly table: Filtered
  readonly hashes: readonly Buffer[]
  readonly places: readonly Place[]
}

type ReadSome<Row> = (hashes: readonly Buffer[], search: HashSearch) => Promise<readonly Row[]>

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
