import type pg from 'pg'
import { finishedPartitions } from '../finished-partitions.ts'
import { inTurn } from '../writing/in-turn.ts'
import { oneAtATime } from '../writing/one-at-a-time.ts'
import { PARTITIONED_TABLES } from '../writing/partitions.ts'
import { type FilteredPartition, writeFilter } from './write-filter.ts'

/** How filters of finished partitions are made. */
export interface FillOptions {
  readonly signal: AbortSignal
  /** Called after each filter that is in force. */
  readonly onDone?: (partition: FilteredPartition) => void
  /** Called after each that failed. Default: the call rejects. */
  readonly onError?: (error: unknown, partition: FilteredPartition) => void
  /** Partitions to which something was written since then, or that failed, wait. Seconds, default an hour. */
  readonly restSeconds?: number
}

const REST_SECONDS = 3_600

/**
 * Makes the filters of finished partitions that have none in force. An interrupted call is continued by the
 * next one. False: another process does it.
 */
export async function fillHashFilters(
  pool: pg.Pool,
  { signal, onDone = () => {}, onError, restSeconds = REST_SECONDS }: FillOptions,
): Promise<boolean> {
  for (const partition of await findUnfiltered(pool, restSeconds)) {
    const fill = async (client: pg.PoolClient) => {
      // Others may have made it, or dropped the partition, since.
      if (!(await isUnfiltered(client, partition, restSeconds))) return
      if (await writeFilter(client, partition, signal)) onDone(partition)
    }
    try {
      // The lock is released after each, so that the archiving of a partition need not wait for all.
      const result = await oneAtATime(pool, 'filters', async (client) => {
        await inTurn(client, signal, () => fill(client))
        return true
      })
      if (!result) return false
    } catch (error) {
      if (!onError || signal.aborted) throw error
      onError(error, partition)
      await rest(pool, partition)
    }
  }
  return true
}

/** Waits before the next attempt, because a failed one may have read the whole partition. */
const rest = (pool: pg.Pool, { table, from }: FilteredPartition) =>
  pool.query(
    'update hash_filters set written_at = now() where of_table = $1 and from_lt = $2 and not is_complete',
    [table, from],
  )

const UNFILTERED = `
  with ${finishedPartitions('$1')}
  select p.parent as table, p.name, p.from_lt as from, p.to_lt as to from finished p
  left join hash_filters f on f.of_table = p.parent and f.from_lt = p.from_lt and f.to_lt = p.to_lt
  where not coalesce(f.is_complete, false)
    and coalesce(f.written_at < now() - make_interval(secs => $2), true)`

/** Newest first, because most look-ups are for new rows. */
async function findUnfiltered(
  client: pg.Pool | pg.ClientBase,
  restSeconds: number,
): Promise<readonly FilteredPartition[]> {
  const { rows } = await client.query<FilteredPartition>(`${UNFILTERED} order by p.from_lt desc, p.parent`, [
    PARTITIONED_TABLES,
    restSeconds,
  ])
  return rows
}

/** Of one alone, because it is asked before each of hundreds. */
async function isUnfiltered(
  client: pg.ClientBase,
  { name }: FilteredPartition,
  restSeconds: number,
): Promise<boolean> {
  const values = [PARTITIONED_TABLES, restSeconds, name]
  return (await client.query(`${UNFILTERED} and p.name = $3`, values)).rowCount === 1
}
