import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { sharedBy } from '../connections/keep-plans.ts'
import { ALL_LT, statement } from '../idiom/index.ts'

/** Raw: the catalogue. Transactions and messages have the same partitions. */
const START = statement<{ readonly start: bigint; readonly archived: boolean }>(
  'first lt of the newest partitions',
  { start: 'int8', archived: 'bool' },
)

/** The newest partition may have been made ahead and be empty. */
const NEWEST = 2
/** Partitions are added every few days. Milliseconds. */
const KEPT_MS = 60_000

/** Where hashes are searched for. */
export interface HashSearch {
  /** First lt of the newest two partitions. */
  readonly newest: bigint
  /** Some partitions are on archive servers, which are asked only if they may have the hash. */
  readonly isArchived: boolean
}

interface Known extends HashSearch {
  readonly readAt: number
}

const known = new WeakMap<object, Known>()

/** The lt at which the newest two partitions begin, as of a minute ago at most. */
export const newestPartitions = async (db: Db): Promise<bigint> => (await hashSearch(db)).newest

/** As of a minute ago at most; rows that move meanwhile are found nevertheless. */
export async function hashSearch(db: Db): Promise<HashSearch> {
  const key = sharedBy(db)
  const last = known.get(key)
  if (last && performance.now() - last.readAt < KEPT_MS) return last
  const rows = await START.rows(
    db,
    sql`
    select substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\(''(\\d+)''')::int8 as start,
      exists (select from archived_partitions where state between 1 and 3) as archived
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'transactions'::regclass order by 1 desc limit ${NEWEST}`,
  )
  const { start = ALL_LT.from, archived = false } = rows.at(-1) ?? {}
  const read = { newest: start, isArchived: archived, readAt: performance.now() }
  known.set(key, read)
  return read
}

/**
 * Subquery: a row with the hash, which no other row has, given as an expression. Most hashes that are asked
 * for are new, so the newest partitions are searched before all others; both searches end with the first row.
 * Index: (hash).
 */
export const withHash = (
  table: 'messages' | 'transactions',
  hash: string,
  { newest, isArchived }: HashSearch,
): RawBuilder<unknown> => {
  const part = (bound: RawBuilder<unknown>) =>
    sql`(select * from ${sql.table(table)} x where x.hash = ${sql.raw(hash)} and x.lt ${bound} limit 1)`
  const others = isArchived
    ? sql`(select o.* from ${rangesWithHash(table, hash, newest)} cross join lateral
        ${part(sql`>= ranges.from_lt and x.lt < ranges.to_lt`)} o limit 1)`
    : part(sql`< ${newest}`)
  return sql`select * from (${part(sql`>= ${newest}`)} union all ${others}) x limit 1`
}

/**
 * The ranges of lt below `newest` in which rows may have the hash, aliased `ranges`: what is not on archive
 * servers, and each archived partition whose filter has it.
 */
const rangesWithHash = (
  table: 'messages' | 'transactions',
  hash: string,
  newest: bigint,
): RawBuilder<unknown> => sql`ranges_with_hash(${sql.lit(table)}, ${sql.raw(hash)}, ${newest}::int8) ranges`
