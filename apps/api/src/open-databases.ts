import { createDb, type DatabaseHandle, type Db } from '@shardwalk/db'
import type { Logger, MetricsRegistry, Shutdown } from '@shardwalk/observability'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import type { ApiConfig } from './config.ts'
import { MAX_TIMEOUT_MS } from './http/request-settings.ts'
import { watchPools } from './pool-metrics.ts'

/**
 * A request that gets no connection within this time is answered with 503. Milliseconds; shorter than the
 * timeout of clients.
 */
const CONNECT_TIMEOUT_MS = 3000
/** A statement that the server should have cancelled is abandoned after this time. Milliseconds. */
const SILENCE_MS = 500

interface Surroundings {
  readonly log: Logger
  readonly metrics: MetricsRegistry
  readonly shutdown: Shutdown
}

export interface Databases {
  /** For health checks and access keys. */
  readonly handle: DatabaseHandle
  /** For requests: hot statements run on connections that keep their plans. */
  readonly db: Db
  /** For what the API stores; undefined: it stores nothing. */
  readonly writableDb: Db | undefined
  /** One connection that listens for changes of keys as long as the process lives. */
  readonly listening: DatabaseHandle
}

/** Opens no connection yet. All pools are closed on shutdown. */
export function openDatabases(config: ApiConfig, around: Surroundings): Databases {
  const { metrics, shutdown } = around
  const handle = openPool(config, Math.ceil(config.poolSize / 2), around)
  configurePlans(handle.pool, 'by value')
  const kept = openPool(config, Math.floor(config.poolSize / 2), around)
  configurePlans(kept.pool, 'kept')
  watchPools({ values: handle.pool, plans: kept.pool }, metrics)
  const listening = createDb({ url: config.databaseUrl, max: 1, applicationName: 'shardwalk api keys' })
  shutdown.onShutdown('key changes', () => listening.close())
  return {
    handle,
    db: keepPlans(handle.pool, kept.pool),
    writableDb: openWritable(config, handle, around),
    listening,
  }
}

function openPool(
  { databaseUrl }: ApiConfig,
  max: number,
  { log, metrics, shutdown }: Surroundings,
): DatabaseHandle {
  const handle = createDb({
    url: databaseUrl,
    max,
    applicationName: 'shardwalk api',
    statementTimeoutMs: MAX_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    silenceMs: MAX_TIMEOUT_MS + SILENCE_MS,
    failFast: true,
    onIdleError: (error) => log.warn('database connection lost', { error }),
    metrics,
  })
  shutdown.onShutdown('database', () => handle.close())
  return handle
}

/** A replica cannot store what was sent, so it is stored in `DATABASE_URL` or not at all. */
function openWritable(
  { databaseUrl, databaseWriteUrl }: ApiConfig,
  reading: DatabaseHandle,
  { log, shutdown }: Surroundings,
): Db | undefined {
  if (databaseWriteUrl === undefined) {
    log.info('DATABASE_URL is not set: nothing is written')
    return undefined
  }
  if (databaseWriteUrl === databaseUrl) return reading.db
  const writable = createDb({
    url: databaseWriteUrl,
    max: 2,
    applicationName: 'shardwalk api',
    statementTimeoutMs: MAX_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  })
  shutdown.onShutdown('database for writing', () => writable.close())
  return writable.db
}
