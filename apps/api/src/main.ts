import { readFileSync } from 'node:fs'
import {
  createDb,
  type DatabaseHandle,
  type Db,
  SchemaTooNew,
  SchemaTooOld,
  warnOfFewLocks,
} from '@shardwalk/db'
import {
  createLogger,
  createMetrics,
  createShutdown,
  EXIT,
  type Logger,
  type Shutdown,
  serveProcessStatus,
} from '@shardwalk/observability'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import { SettingsError } from '@shardwalk/settings'
import { isLoopback } from './access/client-address.ts'
import { openAccess } from './access/index.ts'
import { awaitSchema } from './await-schema.ts'
import { type ApiConfig, readConfig } from './config.ts'
import { createApi } from './create-api.ts'
import { readiness, withHead } from './health.ts'
import { MAX_TIMEOUT_MS } from './http/request-settings.ts'
import { IndexedHead } from './indexed-head.ts'
import { openLiteServices } from './lite-services.ts'
import { watchPools } from './pool-metrics.ts'
import { listen } from './server.ts'
import type { StreamingOptions, Streams } from './streaming/streams.ts'
import { syncedPart } from './sync-state.ts'
import { RequestThreads } from './work/request-work.ts'

/** How long running requests may continue after a signal. Milliseconds. */
const DRAIN_MS = 8000
/**
 * A request that gets no connection within this time is answered with 503. Milliseconds; shorter than the
 * timeout of clients.
 */
const CONNECT_TIMEOUT_MS = 3000
/** A statement that the server should have cancelled is abandoned after this time. Milliseconds. */
const SILENCE_MS = 500

/** Each may have a body of 4 MB. */
const MAX_LARGE_REQUESTS = 32

/** One connection of so many may serve large replies. */
const LARGE_SHARE = 4

/** Most of the time, an emulation waits for states from lite servers. */
const EMULATIONS_PER_THREAD = 8

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLogger({ level: config.logLevel, format: config.logFormat, fields: { process: 'api' } })
  const shutdown = createShutdown({ log })
  shutdown.listen()
  const metrics = createMetrics({ processMetrics: true })
  const open = (max: number, plans: 'kept' | 'by value') => {
    const handle = createDb({
      url: config.databaseUrl,
      max,
      applicationName: 'shardwalk api',
      statementTimeoutMs: MAX_TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      silenceMs: MAX_TIMEOUT_MS + SILENCE_MS,
      failFast: true,
      onIdleError: (error) => log.warn('database connection lost', { error }),
      metrics,
    })
    configurePlans(handle.pool, plans)
    shutdown.onShutdown('database', () => handle.close())
    return handle
  }
  const handle = open(Math.ceil(config.poolSize / 2), 'by value')
  const kept = open(Math.floor(config.poolSize / 2), 'kept')
  await awaitSchema(handle.db, { seconds: config.databaseWaitSeconds, log, signal: shutdown.signal })
  await warnOfFewLocks(handle.db, (message) => log.warn(message))
  watchPools({ values: handle.pool, plans: kept.pool }, metrics)
  // Listening occupies a connection for the lifetime of the process.
  const listening = createDb({ url: config.databaseUrl, max: 1, applicationName: 'shardwalk api keys' })
  shutdown.onShutdown('key changes', () => listening.close())
  const access = openAccess({ ...config, db: handle.db, pool: listening.pool, metrics, log })
  shutdown.onShutdown('access', () => access.close())
  const health = { readiness: [syncedPart(handle.db)], isShuttingDown: () => shutdown.signal.aborted }
  const work = new RequestThreads({ threads: config.bodyThreads, maxWaiting: MAX_LARGE_REQUESTS })
  shutdown.onShutdown('large requests', () => work.close())
  let streams: Streams | undefined
  const app = createApi({
    work,
    db: keepPlans(handle.pool, kept.pool),
    writableDb: openWritable(config, { handle, log, shutdown }),
    profile: config.profile,
    defaultLimit: config.defaultLimit,
    log,
    metrics,
    lite: openLiteServices(config, { log, metrics, shutdown }),
    emulation: {
      deadlineMs: config.emulationTimeoutMs,
      places: EMULATIONS_PER_THREAD * config.strangersTvmThreads,
    },
    exportMaxRows: config.exportMaxRows,
    maxReplyBytes: config.maxReplyBytes,
    largeReads: Math.max(1, Math.floor(config.poolSize / LARGE_SHARE)),
    admission: { requests: config.maxRequests, requestsPerClient: config.maxRequestsPerClient },
    bytes: { bytes: config.maxBytes, bytesPerClient: config.maxBytesPerClient },
    imageProxy: config.imageProxy,
    marketplaces: config.marketplaces,
    pages: config.pages === 'off' ? undefined : { detail: config.pages, network: config.network },
    trustedProxies: config.trustedProxies,
    version: readVersion(),
    access: access.middleware,
    publicMetrics: config.metricsPort === config.port,
    streaming: openStreaming(config, { shutdown }),
    onStreams: (made) => {
      streams = made
    },
    ...health,
  })
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean
  const server = await listen(app, config, {
    connections: config.maxConnections,
    connectionsPerClient: config.maxConnectionsPerClient,
    isExempt: (address) => isLoopback(address) || isTrusted(address, 0),
    metrics,
  }).catch((error: unknown) => refuseToListen(error, config, log))
  shutdown.onShutdown('http', () => server.close(DRAIN_MS))
  // First, because streams never end by themselves.
  shutdown.onShutdown('streams', () => streams?.close())
  if (config.metricsPort !== config.port) {
    const observed = { metrics, head: new IndexedHead(handle.db) }
    await serveProcessStatus({
      ...{ host: config.host, port: config.metricsPort, log, shutdown, metrics: withHead(observed) },
      readiness: () => readiness(observed, { ...health, synced: false }),
    })
  }
  log.info('listening', { url: `${server.url}/api/v3/`, profile: config.profile })
}

interface Reading {
  readonly handle: DatabaseHandle
  readonly log: Logger
  readonly shutdown: Shutdown
}

/** Listening occupies a connection. */
function openStreaming(
  { databaseUrl, streams: plans }: ApiConfig,
  { shutdown }: Pick<Reading, 'shutdown'>,
): StreamingOptions | undefined {
  if (!plans) return undefined
  const listening = createDb({ url: databaseUrl, max: 1, applicationName: 'shardwalk api streams' })
  shutdown.onShutdown('stream notices', () => listening.close())
  return { plans, pool: listening.pool }
}

/** A replica cannot store what was sent, so it is stored in `DATABASE_URL` or not at all. */
function openWritable(
  { databaseUrl, databaseWriteUrl }: ApiConfig,
  { handle, log, shutdown }: Reading,
): Db | undefined {
  if (databaseWriteUrl === undefined) {
    log.info('DATABASE_URL is not set: nothing is written')
    return undefined
  }
  if (databaseWriteUrl === databaseUrl) return handle.db
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

function refuseToListen(error: unknown, { host, port }: ApiConfig, log: Logger): never {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE') log.error('port is taken; set API_PORT to another one', { host, port })
  else log.error('cannot listen', { host, port, error })
  process.exit(EXIT.fix)
}

/** All processes have the version of the repository. */
function readVersion(): string {
  const file = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}

main().catch((error: unknown) => {
  if (error instanceof SchemaTooNew || error instanceof SchemaTooOld) {
    process.stderr.write(`${error.message}\n`)
    process.exit(error instanceof SchemaTooOld ? EXIT.tryAgain : EXIT.fix)
  }
  // The logger's own settings may be invalid.
  process.stderr.write(
    error instanceof SettingsError ? `${error.message}\n` : `${(error as Error).stack ?? error}\n`,
  )
  process.exit(EXIT.fix)
})
