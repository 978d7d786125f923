import { createDb, type DatabaseHandle, type Db } from '@shardwalk/db'
import type { Logger, MetricsRegistry, Shutdown } from '@shardwalk/observability'
import { configurePlans, HeadCache, keepPlans } from '@shardwalk/queries'
import type { ApiConfig } from './config.ts'
import { MAX_TIMEOUT_MS } from './http/request-settings.ts'
import { watchPools } from './pool-metrics.ts'
import { Replica } from './replicas/replica.ts'
import { ReplicaSet } from './replicas/replica-set.ts'

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

/** Connections by what they are used for; each kind has limits of its own. */
export interface Databases {
  /** Where requests of API v3 are answered. */
  readonly replicas: ReplicaSet
  /** For everything else: one of them, as long as it answers. Hot statements keep their plans. */
  readonly db: Db
  /** The same one, for what every request needs before its own reads. */
  readonly headDb: Db
  /** For what the API stores; undefined: it stores nothing. */
  readonly writableDb: Db | undefined
  /** One connection that listens for changes of keys as long as the process lives. */
  readonly listening: DatabaseHandle
}

type Pools = Readonly<Record<'values' | 'plans' | 'head', DatabaseHandle['pool']>>

/** Opens no connection yet. All pools are closed on shutdown. */
export function openDatabases(config: ApiConfig, around: Surroundings): Databases {
  const { metrics, shutdown } = around
  const pools = new Map<Replica, Pools>()
  const ofPrimary = isOneServer(config)
  for (const url of config.databaseUrls) {
    const own = openPools({ url, size: config.poolSize, ofPrimary }, around)
    const db = keepPlans(own.values, own.plans)
    pools.set(new Replica(serverOf(url), db, new HeadCache(keepPlans(own.head))), own)
  }
  watchPools([...pools.values()], metrics)
  const replicas = new ReplicaSet([...pools.keys()]).watch(metrics)
  shutdown.onShutdown('replicas', () => replicas.close())
  const steady = (name: keyof Pools) => ({
    connect: () => pools.get(replicas.current())![name].connect(),
    end: async () => {},
  })
  const listening = createDb({ url: noticesOf(config), max: 1, applicationName: 'shardwalk api keys' })
  shutdown.onShutdown('key changes', () => listening.close())
  const db = keepPlans(steady('values'), steady('plans'))
  const headDb = keepPlans(steady('head'))
  return { replicas, db, headDb, writableDb: openWritable(config, db, around), listening }
}

/** The server that notifies; a replica does not. */
export const noticesOf = ({ databaseUrls, databaseWriteUrl }: ApiConfig): string =>
  databaseWriteUrl ?? databaseUrls[0]!

/**
 * One connection is for the head alone, which every request needs: it must not wait behind the reads of
 * others. Half of the rest keep plans.
 */
function openPools(
  { url, size, ofPrimary }: Server & { readonly size: number },
  around: Surroundings,
): Pools {
  const open = (max: number, plans: 'by value' | 'kept') =>
    configurePlans(openPool({ url, max, ofPrimary }, around), plans)
  const values = open(Math.ceil((size - 1) / 2), 'by value')
  const plans = open(Math.max(1, Math.floor((size - 1) / 2)), 'kept')
  return { values, plans, head: size > 2 ? open(1, 'by value') : values }
}

interface Server {
  readonly url: string
  /** See `DatabaseOptions`. */
  readonly ofPrimary: boolean
}

function openPool(
  { url, max, ofPrimary }: Server & { readonly max: number },
  { log, metrics, shutdown }: Surroundings,
): DatabaseHandle['pool'] {
  const handle = createDb({
    url,
    max,
    ofPrimary,
    applicationName: 'shardwalk api',
    statementTimeoutMs: MAX_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    silenceMs: MAX_TIMEOUT_MS + SILENCE_MS,
    failFast: true,
    arePaced: true,
    onIdleError: (error) => log.warn('database connection lost', { server: serverOf(url), error }),
    metrics,
  })
  shutdown.onShutdown('database', () => handle.close())
  return handle.pool
}

/** Without user and password. */
export function serverOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** A replica cannot store what was sent, so it is stored in `DATABASE_URL` or not at all. */
function openWritable(
  { databaseUrls, databaseWriteUrl }: ApiConfig,
  reading: Db,
  { log, shutdown }: Surroundings,
): Db | undefined {
  if (databaseWriteUrl === undefined) {
    log.info('DATABASE_URL is not set: nothing is written')
    return undefined
  }
  if (isOneServer({ databaseUrls, databaseWriteUrl })) return reading
  const writable = createDb({
    url: databaseWriteUrl,
    max: 2,
    ofPrimary: true,
    applicationName: 'shardwalk api',
    statementTimeoutMs: MAX_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  })
  shutdown.onShutdown('database for writing', () => writable.close())
  return writable.db
}

/** What is written, and sent to webhooks, is read there too. */
const isOneServer = ({
  databaseUrls,
  databaseWriteUrl,
}: Pick<ApiConfig, 'databaseUrls' | 'databaseWriteUrl'>) =>
  databaseUrls.length === 1 && databaseWriteUrl === databaseUrls[0]
