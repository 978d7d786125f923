import { sleep } from '@shardwalk/concurrency'
import type pg from 'pg'
import { oneAtATime } from '../writing/one-at-a-time.ts'
import { type FilteredPartition, writeFilter } from './write-filter.ts'

const PAUSE_MS = 200
const NEVER = new AbortController().signal

/** Builds the filter of a partition to which nothing is written, unless one is in force. */
export async function ensureFilter(pool: pg.Pool, partition: FilteredPartition): Promise<void> {
  const { table, from, to } = partition
  const isInForce = async (client: pg.ClientBase) =>
    (
      await client.query(
        'select from hash_filters where of_table = $1 and from_lt = $2 and to_lt = $3 and is_complete',
        [table, from, to],
      )
    ).rowCount === 1
  const ensure = () =>
    oneAtATime(
      pool,
      'filters',
      async (client) => (await isInForce(client)) || writeFilter(client, partition, NEVER),
    )
  while (!(await ensure())) await sleep(PAUSE_MS)
}
