import type pg from 'pg'
import { forPairs, NO_VALUE, VALUES_BYTES } from './pairs.ts'
import type { FilteredPartition } from './write-filter.ts'

/** Pages of one statement: some 40,000 rows. */
const PAGES = 2_048
const HASH_BYTES = 32

/** Called with the place of a key, which is a hash or stands for a pair of values. */
export type OnKey = (keys: Buffer, at: number) => void

/**
 * What a partition is searched for: rows by their hash, and messages also by pairs of their values.
 * External-in messages are not listed by pairs, and system messages not by their sender.
 */
const NONE = `'${NO_VALUE}'::int8`
const RECORDS = {
  transactions: { bytes: HASH_BYTES, record: 'hash' },
  messages: {
    bytes: HASH_BYTES + VALUES_BYTES,
    record: `hash
      || int8send(case when kind <> 1 and flags & 8 = 0 then account_id else ${NONE} end)
      || int8send(case when kind <> 1 then coalesce(destination_id, ${NONE}) else ${NONE} end)
      || int8send(coalesce(opcode::int8, ${NONE}))`,
  },
} as const satisfies Record<FilteredPartition['table'], unknown>

/**
 * Calls `onKey` for every key of a partition, as of one moment. No statement is long: those of ingest may
 * not be.
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
    const pages = await countPages(client, name)
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

async function countPages(client: pg.ClientBase, name: string): Promise<number> {
  const { rows } = await client.query<{ pages: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::int8)::float8 as pages`,
    [name],
  )
  return rows[0]!.pages
}

/** About as many different keys as there are. */
export async function countKeys(
  client: pg.ClientBase,
  partition: Pick<FilteredPartition, 'table' | 'name'>,
  signal: AbortSignal,
): Promise<number> {
  // The planner knows the rows, but not their pairs.
  const estimate = partition.table === 'messages' ? null : await estimatedRows(client, partition.name)
  if (estimate !== null) return estimate
  const distinct = new DistinctKeys(await countPages(client, partition.name))
  await scanKeys(client, partition, (keys, at) => distinct.add(keys, at), signal)
  return distinct.count
}

/** Null if there are no statistics. */
async function estimatedRows(client: pg.ClientBase, name: string): Promise<number | null> {
  const { rows } = await client.query<{ estimate: number | null }>(
    `select case when relpages > 0 and reltuples > 0 then reltuples::float8 / relpages
       * pg_relation_size(oid) / current_setting('block_size')::int8 end as estimate
     from pg_class where oid = $1::regclass`,
    [name],
  )
  return rows[0]!.estimate
}

/** More than a page has keys. */
const BITS_PER_PAGE = 512
/** 16 MB: of a billion keys the estimate is 1 % off. */
const MAX_BITS = 2 ** 27

/** Linear counting: a bit for each key; how many are set tells how many keys there were. */
class DistinctKeys {
  private readonly bits: number
  private readonly seen: Buffer
  private set = 0

  constructor(pages: number) {
    this.bits = Math.min(MAX_BITS, 2 ** Math.ceil(Math.log2(BITS_PER_PAGE * (pages + 1))))
    this.seen = Buffer.alloc(this.bits / 8)
  }

  add(keys: Buffer, at: number): void {
    const bit = keys.readUInt32BE(at) & (this.bits - 1)
    const mask = 1 << (bit & 7)
    if (this.seen[bit >> 3]! & mask) return
    this.seen[bit >> 3]! |= mask
    this.set++
  }

  get count(): number {
    return Math.round(-this.bits * Math.log1p(-Math.min(this.set, this.bits - 1) / this.bits))
  }
}
