import type pg from 'pg'
import { finishedPartitions } from '../finished-partitions.ts'
import { PARTITIONED_TABLES } from '../sink/partitions.ts'
import { inTurn } from '../writing/in-turn.ts'
import { oneAtATime } from '../writing/one-at-a-time.ts'
import { type FilteredPartition, writeFilter } from './write-filter.ts'

export interface FillOptions {
  readonly signal: AbortSignal
  /** Called after each filter that is in force. */
  readonly onDone?: (partition: FilteredPartition) => void
  /** Partitions to which something was written since then wait. Seconds, default an hour. */
  readonly restSeconds?: number
}

const REST_SECONDS = 3_600

/**
 * Makes the filters of finished partitions that have none in force. An interrupted call is continued by the
 * next one. False: another process does it.
 */
export async function fillHashFilters(
  pool: pg.Pool,
  { signal, onDone = () => {}, restSeconds = REST_SECONDS }: FillOptions,
): Promise<boolean> {
  const result = await oneAtATime(pool, 'filters', async (client) => {
    for (const partition of await findUnfiltered(client, restSeconds)) {
      await inTurn(client, signal, async () => {
        if (!(await exists(client, partition.name))) return
        if (await writeFilter(client, partition, signal)) onDone(partition)
      })
    }
    return true
  })
  return result ?? false
}

/** Newest first, because most of what is asked for is new. */
const UNFILTERED = `
  with ${finishedPartitions('$1')}
  select p.parent as table, p.name, p.from_lt as from, p.to_lt as to from finished p
  left join hash_filters f on f.of_table = p.parent and f.from_lt = p.from_lt and f.to_lt = p.to_lt
  where not coalesce(f.is_complete, false)
    and coalesce(f.written_at < now() - make_interval(secs => $2), true)
  order by p.from_lt desc, p.parent`

async function findUnfiltered(
  client: pg.ClientBase,
  restSeconds: number,
): Promise<readonly FilteredPartition[]> {
  const { rows } = await client.query<FilteredPartition>(UNFILTERED, [PARTITIONED_TABLES, restSeconds])
  return rows
}

/** Retention may have dropped it. */
async function exists(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select where to_regclass($1) is not null', [name])
  return rowCount === 1
}
