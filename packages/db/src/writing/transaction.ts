import { TABLES } from '@shardwalk/tables'
import type pg from 'pg'
import { KEEP_PLANS, markKeeping } from './kept-plans.ts'

/**
 * Runs `work` in one transaction (read committed); any error rolls back. A connection whose rollback fails is
 * discarded. `durable: false`: the commit does not wait for the disk. After a crash of the server the last
 * transactions (three times `wal_writer_delay`) may be lost, always a suffix of them: acceptable where
 * progress is in the same transaction as the rows. `keepsPlans`: see `queryKept`.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  { durable = true, keepsPlans = false }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await prepareSession(client)
    await client.query(
      [
        'begin',
        ...(durable ? [] : ['set local synchronous_commit = off']),
        ...(keepsPlans ? [KEEP_PLANS] : []),
      ].join('; '),
    )
    markKeeping(client, keepsPlans)
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((problem: Error) => {
      broken = problem
    })
    throw error
  } finally {
    markKeeping(client, false)
    client.release(broken)
  }
}

interface TransactionOptions {
  readonly durable?: boolean
  readonly keepsPlans?: boolean
}

/** Tables whose rows are compared with those that they have before they are inserted. */
const STAGED_TABLES = [
  'latest_account_states',
  'account_data',
  'codes',
  'state_parts',
  'hidden_currencies',
] as const
export type StagedTable = (typeof STAGED_TABLES)[number]
/** Name of the session's temporary view of the rows that were copied for a table. */
export const stageOf = (table: StagedTable): string => `stage_${table}`

/**
 * The session's staging table, which is empty after each commit. One for all tables, because every commit
 * truncates each temporary table and rebuilds its TOAST index, even if it holds little.
 */
export const STAGE = 'stage'
const stageColumn = (table: StagedTable, column: string): string => `${table}_${column}`
/** What is copied for a table, in the order of its columns. */
export const stageColumns = (table: StagedTable): string[] =>
  TABLES[table].copied.map((column) => stageColumn(table, column))

const PREPARE = [
  'set client_min_messages = warning',
  `create temporary table if not exists ${STAGE} on commit delete rows as
   select ${STAGED_TABLES.flatMap((table) =>
     TABLES[table].copied.map((column) => `${table}.${column} as ${stageColumn(table, column)}`),
   ).join(', ')} from ${STAGED_TABLES.join(', ')} with no data`,
  ...STAGED_TABLES.map((table) => {
    const columns = TABLES[table].copied.map((column) => `${stageColumn(table, column)} as ${column}`)
    const [key] = TABLES[table].primaryKey!
    return `create or replace temporary view ${stageOf(table)} as
      select ${columns.join(', ')} from ${STAGE} where ${stageColumn(table, key!)} is not null`
  }),
].join('; ')

const prepared = new WeakSet<pg.PoolClient>()

async function prepareSession(client: pg.PoolClient): Promise<void> {
  if (prepared.has(client)) return
  await client.query(PREPARE)
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

/** True when the statement waited for a lock for longer than its limit. */
export const isLockTimeout = (error: unknown): boolean =>
  (error as { code?: string }).code === LOCK_NOT_AVAILABLE

/** check_violation. Source: PostgreSQL, src/backend/executor/execPartition.c, ExecFindPartition. */
export const isPartitionMissing = (error: unknown): boolean =>
  (error as { code?: string }).code === '23514' && /^no partition of relation/.test((error as Error).message)
