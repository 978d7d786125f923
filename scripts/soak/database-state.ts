import type { Pool } from 'pg'

/** What is replaced again and again, and should not need more space than it did. */
const QUEUES = `'refresh_queue', 'event_queue', 'naming_queue', 'unclassified_traces', 'changed_facts',
  'indexed_ranges', 'linked_ranges', 'ingest_status', 'proved_block', 'metadata_queue', 'pending_messages'`
/** Of a smaller table a share says nothing. */
const LEAST_BYTES = 512 * 1_024
const MB = 1 << 20

export interface DatabaseState {
  readonly sizeMb: number
  readonly transactions: number
  /** Waiting in all queues. */
  readonly waiting: number
  /** Tables and indexes of queues and progress. */
  readonly queuesMb: number
  /** Dead tuples, and free space, as a share of all tables' bytes. */
  readonly deadShare: number
  readonly freeShare: number
  readonly worst: { readonly table: string; readonly deadShare: number }
  readonly deadlocks: number
  readonly tempFiles: number
}

/** Vacuum's view of the tables comes from their pages: statistics are lost when the server is killed. */
export async function readDatabaseState(pool: Pool): Promise<DatabaseState> {
  const bloat = await readBloat(pool)
  const { rows } = await pool.query<Omit<DatabaseState, 'deadShare' | 'freeShare' | 'worst'>>(`
    select pg_database_size(current_database())::float8 / ${MB} as "sizeMb",
      (select sum(greatest(reltuples, 0))::float8 from pg_class
        where relname ~ '^transactions_lt_\\d+$') as transactions,
      ((select count(*) from refresh_queue) + (select count(*) from event_queue)
        + (select count(*) from naming_queue) + (select count(*) from unclassified_traces)
        + (select count(*) from changed_facts))::float8 as waiting,
      (select sum(pg_total_relation_size(c.oid))::float8 / ${MB} from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and (c.relname in (${QUEUES}) or n.nspname = 'shardwalk_queue')) as "queuesMb",
      d.deadlocks::float8 as deadlocks, d.temp_files::float8 as "tempFiles"
    from pg_stat_database d where d.datname = current_database()`)
  return { ...rows[0]!, ...bloat }
}

async function readBloat(pool: Pool): Promise<Pick<DatabaseState, 'deadShare' | 'freeShare' | 'worst'>> {
  const { rows } = await pool.query<{ table: string; bytes: number; dead: number; free: number }>(`
    select c.relname as table, s.table_len::float8 as bytes, s.dead_tuple_len::float8 as dead,
      s.approx_free_space::float8 as free
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    cross join lateral base.pgstattuple_approx(c.oid) s
    where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname in ('public', 'shardwalk_queue')`)
  const total = (of: (row: (typeof rows)[number]) => number) => rows.reduce((sum, row) => sum + of(row), 0)
  const bytes = Math.max(
    1,
    total((row) => row.bytes),
  )
  const large = rows.filter((row) => row.bytes >= LEAST_BYTES)
  const [worst] = large.sort((a, b) => b.dead / b.bytes - a.dead / a.bytes)
  return {
    deadShare: total((row) => row.dead) / bytes,
    freeShare: total((row) => row.free) / bytes,
    worst: worst ? { table: worst.table, deadShare: worst.dead / worst.bytes } : { table: '', deadShare: 0 },
  }
}

export interface Activity {
  readonly connections: number
  /** Statements that wait for a lock of a row or table, and those that wait for an advisory lock. */
  readonly lockWaits: number
  readonly advisoryWaits: number
  /** Since when the longest of either has been waiting. Seconds. */
  readonly longestWait: number
}

export async function readActivity(pool: Pool): Promise<Activity> {
  const { rows } = await pool.query<Activity>(`
    select count(*)::int as connections,
      (count(*) filter (where wait_event_type = 'Lock' and wait_event <> 'advisory'))::int as "lockWaits",
      (count(*) filter (where wait_event_type = 'Lock' and wait_event = 'advisory'))::int as "advisoryWaits",
      coalesce(max(extract(epoch from clock_timestamp() - state_change))
        filter (where wait_event_type = 'Lock'), 0)::float8 as "longestWait"
    from pg_stat_activity where datname = current_database()`)
  return rows[0]!
}

export interface Progress {
  /** Newest indexed masterchain block; 0: none. */
  readonly newest: number
  readonly indexed: number
}

export async function readProgress(pool: Pool): Promise<Progress> {
  const { rows } = await pool.query<Progress>(`
    select coalesce(max(to_seqno), 0)::int as newest,
      coalesce(sum(to_seqno - from_seqno + 1), 0)::int as indexed from indexed_ranges`)
  return rows[0]!
}
