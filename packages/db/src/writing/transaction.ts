import type pg from 'pg'

/**
 * Runs `work` in one transaction (read committed); any error rolls back. A connection whose rollback fails is
 * discarded. `durable: false`: the commit does not wait for the disk. After a crash of the server the last
 * transactions (three times `wal_writer_delay`) may be lost, always a suffix of them: acceptable where
 * progress is in the same transaction as the rows.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  { durable = true }: { readonly durable?: boolean } = {},
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await prepareSession(client)
    await client.query(durable ? 'begin' : 'begin; set local synchronous_commit = off')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((problem: Error) => {
      broken = problem
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/**
 * Staging tables for rows that are compared with the table before they are inserted. Each connection has its
 * own; they are empty after each commit.
 */
const STAGED_TABLES = [
  'accounts',
  'latest_account_states',
  'account_data',
  'codes',
  'state_parts',
  'hidden_currencies',
] as const
export type StagedTable = (typeof STAGED_TABLES)[number]
/** Name of the session's temporary table into which rows for a table are copied first. */
export const stageOf = (table: StagedTable): string => `stage_${table}`

const prepared = new WeakSet<pg.PoolClient>()

async function prepareSession(client: pg.PoolClient): Promise<void> {
  if (prepared.has(client)) return
  const statements = STAGED_TABLES.map(
    (table) => `create temporary table if not exists ${stageOf(table)} (like ${table}) on commit delete rows`,
  )
  await client.query(['set client_min_messages = warning', ...statements].join('; '))
  prepared.add(client)
}

const UNIQUE_VIOLATION = '23505'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const LOCK_NOT_AVAILABLE = '55P03'

/** True when the error was caused by a concurrent writer: a retry sees what that one wrote. */
export const isConflict = (error: unknown): boolean =>
  [UNIQUE_VIOLATION, SERIALIZATION_FAILURE, DEADLOCK, LOCK_NOT_AVAILABLE].includes(
    (error as { code?: string }).code ?? '',
  )

/** True when the statement waited for a lock for longer than it was told to. */
export const isLockTimeout = (error: unknown): boolean =>
  (error as { code?: string }).code === LOCK_NOT_AVAILABLE

/** check_violation. Source: PostgreSQL, src/backend/executor/execPartition.c, ExecFindPartition. */
export const isPartitionMissing = (error: unknown): boolean =>
  (error as { code?: string }).code === '23514' && /^no partition of relation/.test((error as Error).message)
