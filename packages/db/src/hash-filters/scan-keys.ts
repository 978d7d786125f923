import type pg from 'pg'
import { forPairs, NO_VALUE, VALUES_BYTES } from './pairs.ts'
import type { FilteredPartition } from './write-filter.ts'

/** Pages of one statement: some 40,000 rows. */
const PAGES = 2_048
const HASH_BYTES = 32

/** Called with the place of a key, which is a hash or stands for a pair of values. */
type OnKey = (keys: Buffer, at: number) => void

const NO_VALUE_SQL = `'${NO_VALUE}'::int8`

/**
 * What a partition is searched for: rows by their hash, and messages also by pairs of their values.
 * External-in messages are not listed by pairs, and system messages not by their sender.
 */
const RECORDS = {
  transactions: { bytes: HASH_BYTES, record: 'hash' },
  messages: {
    bytes: HASH_BYTES + VALUES_BYTES,
    record: `hash
      || int8send(case when kind <> 1 and flags & 8 = 0 then account_id else ${NO_VALUE_SQL} end)
      || int8send(case when kind <> 1 then coalesce(destination_id, ${NO_VALUE_SQL}) else ${NO_VALUE_SQL} end)
      || int8send(coalesce(opcode::int8, ${NO_VALUE_SQL}))`,
  },
} as const satisfies Record<FilteredPartition['table'], unknown>

/** At most: the hash, and three pairs. */
export const KEYS_PER_ROW: Readonly<Record<FilteredPartition['table'], number>> = {
  transactions: 1,
  messages: 4,
}

/**
 * Calls `onKey` for every key of a partition, in one snapshot. It reads in short statements, because a long
 * one would delay ingest.
 */
export async function scanKeys(
  client: pg.ClientBase,
  { table, name }: Pick<FilteredPartition, 'table' | 'name'>,
  onKey: OnKey,
  signal: AbortSignal,
): Promise<void> {
  const { bytes, record } = RECORDS[table]
  const pair = Buffer.alloc(HASH_BYTES)
  const onPair = (key: Buffer) => onKey(key, 0)
  // One snapshot: a row that is updated meanwhile moves to another page.
  await client.query('begin isolation level repeatable read read only')
  try {
    const { rows } = await client.query<{ pages: number }>(
      `select (pg_relation_size($1::regclass) / current_setting('block_size')::int8)::float8 as pages`,
      [name],
    )
    const { pages } = rows[0]!
    for (let page = 0; page < pages; page += PAGES) {
      signal.throwIfAborted()
      const { rows } = await client.query<{ records: Buffer | null }>(
        `select string_agg(${record}, ''::bytea) as records from ${name}
         where ctid >= '(${page},0)' and ctid < '(${page + PAGES},0)'`,
      )
      const records = rows[0]!.records ?? Buffer.alloc(0)
      for (let at = 0; at < records.length; at += bytes) {
        onKey(records, at)
        if (table === 'messages') forPairs(records, at + HASH_BYTES, pair, onPair)
      }
    }
  } finally {
    await client.query('rollback')
  }
}

/**
 * Number of keys in a partition, duplicates included, from the planner's row estimates; without statistics
 * the rows are counted.
 */
export async function countKeys(
  client: pg.ClientBase,
  partition: Pick<FilteredPartition, 'table' | 'name'>,
  signal: AbortSignal,
): Promise<number> {
  const { rows } = await client.query<{ estimate: number | null }>(
    `select case when relpages > 0 and reltuples > 0 then reltuples::float8 / relpages
       * pg_relation_size(oid) / current_setting('block_size')::int8 end as estimate
     from pg_class where oid = $1::regclass`,
    [partition.name],
  )
  const { estimate } = rows[0]!
  if (estimate !== null) return estimate * KEYS_PER_ROW[partition.table]
  let keys = 0
  await scanKeys(client, partition, () => keys++, signal)
  return keys
}

/** 16 MB: of a billion keys the estimate is 1 % off. */
const SEEN_BITS = 2 ** 27

/**
 * Estimated number of distinct keys in a partition, by linear counting: one bit of a map per key, shared by
 * some.
 */
export async function countDistinctKeys(
  client: pg.ClientBase,
  partition: Pick<FilteredPartition, 'table' | 'name'>,
  signal: AbortSignal,
): Promise<number> {
  const seen = Buffer.alloc(SEEN_BITS / 8)
  let set = 0
  const onKey = (keys: Buffer, at: number) => {
    const bit = keys.readUInt32BE(at) & (SEEN_BITS - 1)
    const mask = 1 << (bit & 7)
    if (!(seen[bit >> 3]! & mask)) set++
    seen[bit >> 3]! |= mask
  }
  await scanKeys(client, partition, onKey, signal)
  return Math.round(-SEEN_BITS * Math.log1p(-Math.min(set, SEEN_BITS - 1) / SEEN_BITS))
}
