import type { Metrics } from '@shardwalk/observability'
import { leaveReadOnlyServers } from '@shardwalk/settings/pg-read-only'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database } from './database-types.ts'
import { deadlineClient } from './deadline-client.ts'
import { CircuitBreaker, failFast } from './fail-fast.ts'
import { paceResults } from './paced-results.ts'
import { primaryClient } from './primary-client.ts'
import { measuringClient } from './query-metrics.ts'
import { endTimeLimit, sessionOf } from './session.ts'

/** A connection pool or a transaction on it: always the first parameter of a query function. */
export type Db = Kysely<Database>

/** Where the database is, and how long its answers may take. */
export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** Most connections at once. Default 10. */
  readonly max?: number
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string
  /** The server cancels a statement that runs longer. Milliseconds, default 60 000; 0: never. */
  readonly statementTimeoutMs?: number
  /**
   * The server ends a session that holds a transaction open and is idle. One that waits for the rows of a
   * COPY is not idle, and no other timeout ends it. Milliseconds, default 120 000.
   */
  readonly idleTransactionMs?: number
  /** Once a primary was at the URL, a standby there is not used. Default: it may be a replica. */
  readonly ofPrimary?: boolean
  /** Milliseconds to wait for a connection, default 10 000. */
  readonly connectTimeoutMs?: number
  /**
   * A connection whose server is silent for this long during a statement is given up: `DatabaseSilent`.
   * Milliseconds, default: 5 000 more than the statement timeout; 0: never.
   */
  readonly silenceMs?: number
  /** While the server is silent, callers are rejected at once, except one per second. Default: they wait. */
  readonly failFast?: boolean
  /** Large results occupy the event loop in short turns only. Default: they are read at once. */
  readonly arePaced?: boolean
  /** Called for errors on idle connections (server gone); the pool opens new ones by itself. */
  readonly onIdleError?: (error: Error) => void
  /** Receives the time of statements (`measuringClient`). Default: statements are not timed. */
  readonly metrics?: Metrics
}

/** A pool and the typed query builder over it. `close` ends both. */
export interface DatabaseHandle {
  readonly db: Db
  /** For COPY, LISTEN and other uses that need a single connection. */
  readonly pool: pg.Pool
  close(): Promise<void>
}

/**
 * Does not open a connection. int8 columns (and count(*)) are read as bigint, numeric as string, bytea as
 * Buffer.
 */
export function createDb(options: DatabaseOptions): DatabaseHandle {
  const statementTimeoutMs = options.statementTimeoutMs ?? 60_000
  const silenceMs = options.silenceMs ?? (statementTimeoutMs > 0 ? statementTimeoutMs + 5_000 : 0)
  const breaker = new CircuitBreaker()
  const onSilence = () => breaker.trip()
  const onAnswer = () => breaker.reset()
  const AnyClient = silenceMs > 0 ? deadlineClient({ silenceMs, onSilence, onAnswer }) : pg.Client
  const Client = options.ofPrimary ? primaryClient(options.url, AnyClient) : AnyClient
  const pool = new pg.Pool({
    // pg does not send a time limit of 0, and the role may have another one.
    ...sessionOf(options.url, statementTimeoutMs > 0 ? {} : { statement_timeout: '0' }),
    ...(statementTimeoutMs === 0 && { onConnect: endTimeLimit }),
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'shardwalk',
    statement_timeout: statementTimeoutMs,
    // A client that stops in the middle of a transaction must not keep its locks.
    idle_in_transaction_session_timeout: options.idleTransactionMs ?? 120_000,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    // A connection that only listens runs no statement whose silence would be noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    types: TYPES,
    Client: options.metrics ? measuringClient(options.metrics, Client) : Client,
  })
  leaveReadOnlyServers(pool)
  if (options.failFast) failFast(pool, breaker)
  if (options.arePaced) paceResults(pool)
  // Without a listener, an error on an idle connection would end the process.
  pool.on('error', options.onIdleError ?? (() => {}))
  // Same for a connection between two statements of a transaction; the next statement then fails.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const close = async (): Promise<void> => {
    // Does nothing to the pool unless `db` was used.
    await db.destroy()
    if (!pool.ending) await pool.end()
  }
  return { db, pool, close }
}

const INT8 = 20
const INT8_ARRAY = 1016

/** Parsers for this pool only; the defaults of the `pg` module remain unchanged for other libraries. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === INT8) return BigInt
    if (format !== 'binary' && oid === INT8_ARRAY) return parseInt8Array
    return pg.types.getTypeParser(oid, format as 'text')
  }) as pg.CustomTypesConfig['getTypeParser'],
}

function parseInt8Array(text: string): (bigint | null)[] {
  if (text === '{}') return []
  return text
    .slice(1, -1)
    .split(',')
    .map((item) => (item === 'NULL' ? null : BigInt(item)))
}
