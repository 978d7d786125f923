import { totalmem } from 'node:os'

const MB = 1024 * 1024

/** A line of postgresql.conf that is ours. */
export interface PostgresSetting {
  readonly name: string
  readonly value: string
  /** Why it differs from the default. */
  readonly reason: string
}

/**
 * Settings for this load: few writers that COPY in large transactions, and many short index reads. They are
 * data, so that the embedded server and the generated postgresql.conf agree. `memoryBytes` is the memory
 * available to PostgreSQL; default: this machine's, or the limit of the container.
 */
export const postgresSettings = ({
  memoryBytes = usableMemory(),
}: {
  readonly memoryBytes?: number
} = {}): readonly PostgresSetting[] => [...memorySettings(memoryBytes), ...SETTINGS]

/**
 * A server with buffers for a machine of 64 GB is killed in a container that may use 2 of them, as soon as it
 * has filled them. Without a limit Node reports 0, nothing, or more than any machine has.
 */
function usableMemory(): number {
  const limit = process.constrainedMemory()
  return limit ? Math.min(limit, totalmem()) : totalmem()
}

const setting = (name: string, value: string, reason: string): PostgresSetting => ({ name, value, reason })

function memorySettings(memoryBytes: number): readonly PostgresSetting[] {
  const megabytes = (share: number, least: number, most: number) =>
    `${Math.round(Math.min(most, Math.max(least, (memoryBytes * share) / MB)))}MB`
  return [
    setting(
      'shared_buffers',
      megabytes(0.15, 128, 8192),
      'upper pages of the hash and key indexes stay in memory',
    ),
    setting('effective_cache_size', megabytes(0.5, 256, 1_000_000), 'planner: index reads are mostly cached'),
    setting('maintenance_work_mem', megabytes(0.05, 64, 1024), 'index builds and vacuum of large partitions'),
  ]
}

const SETTINGS: readonly PostgresSetting[] = [
  setting('work_mem', '16MB', 'sorts of one page of 1,000 rows never spill'),
  setting('max_wal_size', '4GB', 'ingest writes much; checkpoints by time, not by volume'),
  setting('checkpoint_timeout', '15min', 'fewer full-page images of randomly touched hash index pages'),
  setting('checkpoint_completion_target', '0.9', 'spread the writes'),
  setting('wal_compression', 'pglz', 'full-page images of index pages compress well'),
  setting('random_page_cost', '1.1', 'solid-state disks'),
  setting('jit', 'off', 'queries are short; compiling them costs more than it saves'),
  setting(
    'max_parallel_workers_per_gather',
    '0',
    'list queries read few rows; containers have little /dev/shm',
  ),
  setting('max_parallel_maintenance_workers', '0', 'the same'),
  setting(
    'autovacuum_vacuum_insert_scale_factor',
    '0.05',
    'append-only partitions become all-visible soon: index-only scans',
  ),
  setting('autovacuum_vacuum_cost_limit', '2000', 'vacuum keeps up with ingest'),
  setting(
    'max_locks_per_transaction',
    '1024',
    'a statement that cannot be pruned locks every partition with its indexes',
  ),
  setting('enable_partitionwise_aggregate', 'on', 'counts by partition'),
]

/** Text of a configuration file with these settings. */
export const formatPostgresConf = (settings: readonly PostgresSetting[]): string =>
  settings.map(({ name, value, reason }) => `${name} = '${value}'  # ${reason}\n`).join('')
