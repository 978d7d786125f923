import type pg from 'pg'
import { cancelStatement } from './cancel-statement.ts'
import { finishedPartitions } from './finished-partitions.ts'
import { inTurn } from './writing/in-turn.ts'
import { oneAtATime } from './writing/one-at-a-time.ts'
import { PARTITIONED_TABLES } from './writing/partitions.ts'

/** What compacting a partition saved. */
export interface CompactedPartition {
  readonly name: string
  /** Bytes of the indexes that were rebuilt. */
  readonly before: number
  readonly after: number
}

export interface CompactOptions {
  /** Called after each partition. */
  readonly onDone?: (partition: CompactedPartition) => void
  /** Ends it within an index, which the next run then rebuilds. */
  readonly signal?: AbortSignal
}

/**
 * Rebuilds the indexes of finished partitions, which inserts in no order leave two thirds full, while they
 * are read and written. Each index is rebuilt once, and an interrupted run is continued by the next one.
 * False: another process does it. Rows that a repair adds later split pages as in any index.
 *
 * Only for the owner of the tables, without a statement timeout.
 */
export async function compactPartitions(
  pool: pg.Pool,
  { onDone = () => {}, signal = new AbortController().signal }: CompactOptions = {},
): Promise<boolean> {
  const result = await oneAtATime(pool, 'compaction', async (client) => {
    const cancel = () => void cancelStatement(client)
    signal.addEventListener('abort', cancel)
    try {
      // Otherwise the server goes on for minutes after this process has died, with the locks. Not everywhere.
      await client.query("set client_connection_check_interval = '1s'").catch(() => {})
      await inTurn(client, signal, () => dropRemains(client))
      for (const [name, indexes] of await findLoose(client)) {
        const before = await bytesOf(client, indexes)
        for (const index of indexes) await inTurn(client, signal, () => rebuild(client, index, signal))
        onDone({ name, before, after: await bytesOf(client, indexes) })
      }
    } finally {
      signal.removeEventListener('abort', cancel)
    }
    return true
  })
  return result ?? false
}

interface LooseIndex {
  readonly partition: string
  /** With schema and quotes, as needed. */
  readonly name: string
  readonly method: 'btree' | 'hash'
}

/** A comment: options alone do not tell an index that is still to be rebuilt, and `reindex` keeps both. */
const MARK = 'compact'

async function rebuild(
  client: pg.ClientBase,
  { name, method }: LooseIndex,
  signal: AbortSignal,
): Promise<void> {
  // Retention may have dropped the partition.
  const { rowCount } = await client.query('select where to_regclass($1) is not null', [name])
  if (!rowCount) return
  // A hash index that is any fuller overflows.
  if (method === 'btree') await client.query(`alter index ${name} set (fillfactor = 100)`)
  try {
    await client.query(`reindex index concurrently ${name}`)
  } catch (error) {
    // On a full disk above all. It waits for readers, which a process that is asked to end does not.
    if (!signal.aborted) await dropRemains(client).catch(() => {})
    throw error
  }
  await client.query(`comment on index ${name} is '${MARK}'`)
}

/** Indexes of finished partitions. One by time (BRIN) is small. */
const LOOSE = `
  with ${finishedPartitions('$1')}
  select p.name as partition, x.indexrelid::regclass::text as name, a.amname as method
  from finished p join pg_index x on x.indrelid = p.oid and x.indisvalid
  join pg_class c on c.oid = x.indexrelid join pg_am a on a.oid = c.relam
  where obj_description(x.indexrelid, 'pg_class') is distinct from '${MARK}'
    and a.amname in ('btree', 'hash')
  order by p.from_lt, p.parent, c.relname`

/** By partition, oldest first. */
async function findLoose(client: pg.ClientBase): Promise<ReadonlyMap<string, readonly LooseIndex[]>> {
  const { rows } = await client.query<LooseIndex>(LOOSE, [PARTITIONED_TABLES])
  const partitions = new Map<string, LooseIndex[]>()
  for (const row of rows) partitions.set(row.partition, [...(partitions.get(row.partition) ?? []), row])
  return partitions
}

/** What an interrupted `reindex concurrently` leaves: updated by every write and used by no read. */
async function dropRemains(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select x.indexrelid::regclass::text as name from pg_inherits i join pg_index x on x.indrelid = i.inhrelid
     join pg_class c on c.oid = x.indexrelid
     where i.inhparent = any ($1::regclass[]) and not x.indisvalid and c.relname ~ '_cc(new|old)\\d*$'`,
    [PARTITIONED_TABLES],
  )
  for (const { name } of rows) await client.query(`drop index concurrently ${name}`)
}

async function bytesOf(client: pg.ClientBase, indexes: readonly LooseIndex[]): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select coalesce(sum(pg_relation_size(to_regclass(name))), 0)::float8 as bytes
     from unnest($1::text[]) name`,
    [indexes.map(({ name }) => name)],
  )
  return rows[0]!.bytes
}
