import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import {
  createDb,
  DatabaseUnsuitable,
  endWhenMigrated,
  SchemaTooNew,
  SchemaTooOld,
  warnOfFewLocks,
} from '@shardwalk/db'
import { RequestThreads } from '@shardwalk/node-access/requests'
import {
  beginProcess,
  CannotListen,
  createMetrics,
  EXIT,
  endOnFailure,
  type Logger,
  type MetricsRegistry,
  type Shutdown,
  serveProcessStatus,
} from '@shardwalk/observability'
import type { Pending, PendingOptions } from '@shardwalk/pending'
import { HeadCache } from '@shardwalk/queries'
import { SettingsError } from '@shardwalk/settings'
import { WebhookDispatcher } from '@shardwalk/webhooks/outbox'
import type { Express } from 'express'
import { isLoopback } from './access/client-address.ts'
import { openAccess } from './access/index.ts'
import type { ApiOptions } from './api-options.ts'
import { awaitSchema } from './await-schema.ts'
import { type ApiConfig, readConfig } from './config.ts'
import { createApi } from './create-api.ts'
import { readiness, withHead } from './health.ts'
import { openLiteServices } from './lite-services.ts'
import { type Databases, noticesOf, openDatabases } from './open-databases.ts'
import { affordableConnections } from './open-files.ts'
import { listen } from './server.ts'
import type { ApiServices } from './services.ts'
import { eventContext } from './streaming/event-services.ts'
import type { StreamingOptions, Streams } from './streaming/streams.ts'
import { refuseUnsuitable } from './suitable-databases.ts'
import { syncedPart } from './sync-state.ts'

/** How long running requests may continue after a signal. Milliseconds. */
const DRAIN_MS = 8000

/** Each may have a body of 4 MB. */
const MAX_LARGE_REQUESTS = 32

/** One connection of so many may serve large replies. */
const LARGE_SHARE = 4

/** How often the streams of an API on replicas look for blocks. Milliseconds. */
const REPLICA_POLL_MS = 100

/** Most of the time, an emulation waits for states from lite servers. */
const EMULATIONS_PER_THREAD = 8
const PENDING_PER_THREAD = 4

/**
 * V8 counts what survives collections by where it was made, and allocates as old at once what often does. Few
 * requests are running at a collection, so that some places look as if all that they make lived long; old
 * garbage then holds young garbage, and a page of transactions makes 50 KB old instead of 30.
 */
setFlagsFromString('--no-allocation-site-pretenuring')

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const { log, shutdown } = beginProcess('api', config)
  await start(config, { log, shutdown, metrics: createMetrics({ processMetrics: true }) }).catch((error) => {
    if (!(error instanceof CannotListen)) throw error
    return endOnFailure(error, { log, shutdown, message: 'the API could not start' })
  })
}

async function start(config: ApiConfig, around: Surroundings): Promise<void> {
  const { log, shutdown } = around
  const databases = openDatabases(config, around)
  const { db } = databases
  await refuseUnsuitable(config, log)
  await awaitSchema(db, { seconds: config.databaseWaitSeconds, log, signal: shutdown.signal })
  void endWhenMigrated({ db, log, shutdown, mayBeBehind: config.readsFromReplicas })
  await databases.replicas.assertOneNetwork()
  await warnOfFewLocks(db, (message) => log.warn(message))
  const health = { readiness: [syncedPart(db)], isShuttingDown: () => shutdown.signal.aborted }
  let streams: Streams | undefined
  const onStreams = (made: Streams) => {
    streams = made
  }
  let pending: Pending | undefined
  const onPending = (made: Pending) => {
    pending = made
  }
  const onServices = (services: ApiServices) => deliverWebhooks(config, databases, services, shutdown)
  const made = { onStreams, onServices, onPending }
  const parts = openParts(config, databases, around)
  const app = createApi({ ...parts, ...limits(config), ...health, ...made, describesAtStart: true })
  const url = await serve(app, config, around)
  // First, because streams never end by themselves.
  shutdown.onShutdown('pending messages', () => pending?.close())
  shutdown.onShutdown('streams', () => streams?.close())
  if (config.metricsPort !== config.port) await serveStatus(config, databases, { ...around, ...health })
  log.info('listening', { url: `${url}/api/v3/`, profile: config.profile })
}

interface Surroundings {
  readonly log: Logger
  readonly metrics: MetricsRegistry
  readonly shutdown: Shutdown
}

/** Metrics and readiness, on a port of their own. */
async function serveStatus(
  { host, metricsPort: port }: ApiConfig,
  { headDb }: Databases,
  { log, metrics, shutdown, ...health }: Surroundings & Pick<ApiOptions, 'readiness' | 'isShuttingDown'>,
): Promise<void> {
  const observed = { metrics, head: new HeadCache(headDb) }
  await serveProcessStatus({
    ...{ host, port, setting: 'METRICS_PORT', log, shutdown },
    metrics: withHead(observed),
    readiness: () => readiness(observed, { ...health, synced: false }),
  })
}

/** What the API consists of. Everything that is opened is closed on shutdown. */
function openParts(config: ApiConfig, databases: Databases, around: Surroundings): ApiOptions {
  const { log, metrics, shutdown } = around
  const { listening, db, headDb, writableDb, replicas } = databases
  const access = openAccess({ ...config, db, pool: listening.pool, metrics, log })
  shutdown.onShutdown('access', () => access.close())
  const work = new RequestThreads({ threads: config.bodyThreads, maxWaiting: MAX_LARGE_REQUESTS })
  shutdown.onShutdown('large requests', () => work.close())
  return {
    db,
    headDb,
    replicas,
    writableDb,
    work,
    log,
    metrics,
    access: access.middleware,
    lite: openLiteServices(config, around),
    profile: config.profile,
    imageProxy: config.imageProxy,
    marketplaces: config.marketplaces,
    pages:
      config.pages === 'off'
        ? undefined
        : { detail: config.pages, network: config.network, dataDir: config.dataDir },
    trustedProxies: config.trustedProxies,
    version: readVersion(),
    publicMetrics: config.metricsPort === config.port,
    streaming: openStreaming(config, shutdown),
    pending: openPending(config, shutdown),
  }
}

/** Events are delivered from where they are written. */
function deliverWebhooks(
  { webhooks: { deliver, ...how } }: ApiConfig,
  { writableDb: db }: Databases,
  services: ApiServices,
  shutdown: Shutdown,
): void {
  if (!deliver || !db) return
  const rendered = { ...services, context: () => eventContext(services) }
  const dispatcher = new WebhookDispatcher({ services: rendered, db, ...how })
  shutdown.onShutdown('webhooks', () => dispatcher.close())
}

/** Listening occupies a connection. */
function openStreaming(config: ApiConfig, shutdown: Shutdown): StreamingOptions | undefined {
  const { streams: plans, streamingV1: v1 } = config
  if (!plans) return undefined
  const listening = createDb({ url: noticesOf(config), max: 1, applicationName: 'shardwalk api streams' })
  shutdown.onShutdown('stream notices', () => listening.close())
  // The primary notifies before its replicas have the block.
  return { plans, v1, pool: listening.pool, pollMs: config.readsFromReplicas ? REPLICA_POLL_MS : undefined }
}

/** Listening occupies a connection, to the primary: elsewhere nothing is notified. */
function openPending(
  {
    pending,
    pendingConfirmed: confirms,
    pendingPushSecret: pushSecret,
    databaseWriteUrl: url,
    untrustedTvmThreads,
  }: ApiConfig,
  shutdown: Shutdown,
): PendingOptions | undefined {
  if (!pending || url === undefined) return undefined
  const listening = createDb({ url, max: 1, applicationName: 'shardwalk api pending' })
  shutdown.onShutdown('pending notices', () => listening.close())
  return { pool: listening.pool, pushSecret, confirms, places: PENDING_PER_THREAD * untrustedTvmThreads }
}

const limits = (config: ApiConfig) => ({
  defaultLimit: config.defaultLimit,
  emulation: {
    deadlineMs: config.emulationTimeoutMs,
    places: EMULATIONS_PER_THREAD * config.untrustedTvmThreads,
    threadSettings: { ...process.env },
  },
  exportMaxRows: config.exportMaxRows,
  exportConcurrency: config.exportConcurrency,
  exportMaxLag: config.exportMaxLag,
  exportPriority: config.exportPriority,
  maxReplyBytes: config.maxReplyBytes,
  largeReads: Math.max(1, Math.floor((config.poolSize * config.databaseUrls.length) / LARGE_SHARE)),
  admission: { requests: config.maxRequests, requestsPerClient: config.maxRequestsPerClient },
  bytes: { bytes: config.maxBytes, bytesPerClient: config.maxBytesPerClient },
})

/** Resolves to the URL of the server. */
async function serve(app: Express, config: ApiConfig, around: Surroundings): Promise<string> {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean
  const server = await listen(app, config, {
    connections: affordableConnections(config.maxConnections, around.log),
    connectionsPerClient: config.maxConnectionsPerClient,
    isExempt: (address) => isLoopback(address) || isTrusted(address, 0),
    metrics: around.metrics,
  }).catch((cause: Error) => {
    const { host, port } = config
    throw new CannotListen(cause, { host, port, setting: 'API_PORT' })
  })
  around.shutdown.onShutdown('http', () => server.close(DRAIN_MS))
  return server.url
}

/** All processes have the version of the repository. */
function readVersion(): string {
  const file = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}

main().catch((error: unknown) => {
  if (error instanceof SchemaTooNew || error instanceof SchemaTooOld || error instanceof DatabaseUnsuitable) {
    process.stderr.write(`${error.message}\n`)
    process.exit(error instanceof SchemaTooOld ? EXIT.tryAgain : EXIT.fix)
  }
  // The logger's own settings may be invalid.
  process.stderr.write(
    error instanceof SettingsError ? `${error.message}\n` : `${(error as Error).stack ?? error}\n`,
  )
  process.exit(EXIT.fix)
})
