import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { knownPartitions, type Partitions } from './known-partitions.ts'

/** Where rows with a hash are searched for. */
export type HashSearch = (table: 'messages' | 'transactions', hash: string) => RawBuilder<unknown>

/**
 * Rows with the hashes, which no other rows have. Most hashes that are asked for are new, so the newest
 * partitions are searched before all others, and in a statement of its own, because one opens all that it may
 * search. `read`: one statement for some of the hashes, with `search` as the subquery for a row with a hash,
 * which is given as an expression. Index: (hash).
 */
export async function withHashes<Row extends { readonly hash: Buffer }>(
  db: Db,
  hashes: readonly Buffer[],
  read: (hashes: readonly Buffer[], search: HashSearch) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (hashes.length === 0) return []
  const partitions = await knownPartitions(db)
  const newest: HashSearch = (table, hash) => part(table, hash, sql`>= ${partitions.newest}`)
  const found = await read(hashes, newest)
  const known = new Set(found.map((row) => row.hash.toString('latin1')))
  const others = hashes.filter((hash) => !known.has(hash.toString('latin1')))
  if (others.length === 0) return found
  return [...found, ...(await read(others, (table, hash) => before(table, hash, partitions)))]
}

const part = (table: string, hash: string, bound: RawBuilder<unknown>) =>
  sql`select * from ${sql.table(table)} x where x.hash = ${sql.raw(hash)} and x.lt ${bound} limit 1`

const before = (table: 'messages' | 'transactions', hash: string, { newest, isArchived }: Partitions) =>
  isArchived
    ? sql`select o.* from ${rangesWithHash(table, hash, newest)} cross join lateral
        (${part(table, hash, sql`>= ranges.from_lt and x.lt < ranges.to_lt`)}) o limit 1`
    : part(table, hash, sql`< ${newest}`)

/**
 * The ranges of lt below `newest` in which rows may have the hash, aliased `ranges`: what is not on archive
 * servers, and each archived partition whose filter has it.
 */
const rangesWithHash = (
  table: 'messages' | 'transactions',
  hash: string,
  newest: bigint,
): RawBuilder<unknown> => sql`ranges_with_hash(${sql.lit(table)}, ${sql.raw(hash)}, ${newest}::int8) ranges`
