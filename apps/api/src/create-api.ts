import { MARKETPLACES } from '@shardwalk/actions'
import { PROFILES, type Profile, profileRules } from '@shardwalk/api-schema'
import { blocksBehindHead, type Db } from '@shardwalk/db'
import { HeadFirst } from '@shardwalk/exports/head-first'
import type { ImageProxy } from '@shardwalk/metadata'
import { createMetrics, type Logger, type MetricsRegistry, silentLogger } from '@shardwalk/observability'
import type { Description } from '@shardwalk/pages'
import { AccountCache } from '@shardwalk/queries'
import compression from 'compression'
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { mountDocumentation } from './documentation.ts'
import type { EmulationOptions } from './emulate/emulator.ts'
import { mountEmulation, mountEmulationDocumentation } from './emulate/mount-emulation.ts'
import { mountHealth, type ReadinessPart } from './health.ts'
import { ADMISSION_LIMITS, type AdmissionLimits, admission } from './http/admission.ts'
import { BYTE_LIMITS, type ByteLimits, countBytes } from './http/bytes-in-flight.ts'
import { crossOrigin } from './http/cross-origin.ts'
import { errorBody, HttpError, isAbandoned, toFailure } from './http/errors.ts'
import { ExportPace } from './http/export-pace.ts'
import { ExportPlaces } from './http/export-places.ts'
import { measure } from './http/measure.ts'
import { mountRoutes } from './http/mount-routes.ts'
import { ReadTurns } from './http/read-turns.ts'
import { RecentRequests } from './http/recent-requests.ts'
import { DEFAULT_MAX_REPLY_BYTES } from './http/reply-size.ts'
import { sendJson } from './http/reply-writer.ts'
import { limitRequest } from './http/request-limits.ts'
import { singleSlashes } from './http/single-slashes.ts'
import { IndexedHead } from './indexed-head.ts'
import { type LiteServices, lazyNode } from './node/lazy-node.ts'
import { mountPages, type PagesOptions, pageErrors } from './pages/mount-pages.ts'
import { mountPush } from './pending/mount-push.ts'
import { Pending, type PendingOptions } from './pending/pending.ts'
import { chooseReplica } from './replicas/choose-replica.ts'
import { Replica } from './replicas/replica.ts'
import { ReplicaSet } from './replicas/replica-set.ts'
import type { ApiServices } from './services.ts'
import { mountStreamingDocumentation } from './streaming/documentation.ts'
import { mountStreaming } from './streaming/mount-streaming.ts'
import type { StreamingOptions, Streams } from './streaming/streams.ts'
import { mountV2Documentation } from './v2/documentation.ts'
import { mountV2 } from './v2/router.ts'
import { EXPORT_ROUTES, V3_ROUTES } from './v3/routes/index.ts'
import { INLINE_WORK, type RequestWork } from './work/request-work.ts'

export interface ApiOptions {
  /** Its server should cancel statements after 3 s (`statementTimeoutMs` of `createDb`). */
  readonly db: Db
  /** The same with connections of its own for the indexed head; default: `db`. */
  readonly headDb?: Db | undefined
  /** Databases with the same content that answer API v3; default: `db` alone. */
  readonly replicas?: ReplicaSet | undefined
  /** Where sent messages and requests for metadata are stored; default: nowhere. */
  readonly writableDb?: Db | undefined
  /** Default: `standard`. */
  readonly profile?: Profile
  /** Default of `limit`; default: that of the profile. */
  readonly defaultLimit?: number | undefined
  readonly log?: Logger
  readonly metrics?: MetricsRegistry
  /** Serve `/metrics` on the public port too. Default: false. */
  readonly publicMetrics?: boolean
  /** Maximum number of rows in an NDJSON or CSV export; default 0: no exports. */
  readonly exportMaxRows?: number
  /** Exports at the same time. Default 2. */
  readonly exportConcurrency?: number
  /** Masterchain blocks behind the head from which on exports pause. Default 5; 0: they never do. */
  readonly exportMaxLag?: number
  /** Whether exports give way to other requests. Default: `low`, they do. */
  readonly exportPriority?: 'low' | 'normal'
  /** Maximum size of a reply; default 64 MiB. */
  readonly maxReplyBytes?: number
  /** Database connections that reads of large replies may occupy. Default 2. */
  readonly largeReads?: number
  /** Limits of concurrent requests. */
  readonly admission?: Partial<AdmissionLimits>
  /** Memory of requests in progress. */
  readonly bytes?: Partial<ByteLimits>
  /** Performs long work for large requests; default: in this thread. */
  readonly work?: RequestWork
  /** Pages for browsers; default: none. */
  readonly pages?: PagesOptions | undefined
  /** Serves token images in three sizes; default: replies have no links to them. */
  readonly imageProxy?: ImageProxy | undefined
  /** Names of NFT marketplaces by raw address; default: the well-known ones. */
  readonly marketplaces?: ReadonlyMap<string, string> | undefined
  /** Version in `X-API-Version` and in the OpenAPI document. */
  readonly version?: string
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[]
  /** Keys and rate limits for all routes under `/api`. Default: none. */
  readonly access?: RequestHandler
  /** Further conditions of `/readyz`. */
  readonly readiness?: readonly ReadinessPart[]
  readonly isShuttingDown?: () => boolean
  /** Deadline and number of emulations. */
  readonly emulation?: Partial<EmulationOptions>
  /** Limits of streams, and where commits are notified; default: there is no streaming API. */
  readonly streaming?: StreamingOptions | undefined
  /** Called with the streams once they are mounted, to close them. */
  readonly onStreams?: (streams: Streams) => void
  /** Called with what all parts share, for work beside requests. */
  readonly onServices?: (services: ApiServices) => void
  /** Messages that clients send are followed until they are indexed; default: they are not. */
  readonly pending?: PendingOptions | undefined
  /** Called with what follows them, to close it. */
  readonly onPending?: (pending: Pending) => void
  /** Lite servers for API v2, which returns 542 when there are none. */
  readonly lite?: () => LiteServices | undefined
}

/** Creates the HTTP interface as an Express application. Opens no connections. */
export function createApi(options: ApiOptions): Express {
  const profile = options.profile ?? PROFILES[0]
  const rules = profileRules(profile)
  const head = new IndexedHead(options.headDb ?? options.db)
  const indexed = {
    db: options.db,
    writableDb: options.writableDb,
    log: options.log ?? silentLogger,
    metrics: options.metrics ?? createMetrics(),
    profile,
    rules,
    defaultLimit: options.defaultLimit ?? rules.defaultLimit,
    head,
    replicas: options.replicas ?? new ReplicaSet([new Replica('database', options.db, head)]),
    readTurns: new ReadTurns(options.largeReads ?? 2),
    accounts: new AccountCache(),
    exportMaxRows: options.exportMaxRows ?? 0,
    exportPlaces: new ExportPlaces(options.exportConcurrency ?? 2),
    exportPace: new ExportPace({
      head: new HeadFirst({ behind: () => blocksBehindHead(options.db), most: options.exportMaxLag ?? 5 }),
      givesWay: options.exportPriority !== 'normal',
    }),
    requests: new RecentRequests(),
    maxReplyBytes: options.maxReplyBytes ?? DEFAULT_MAX_REPLY_BYTES,
    work: options.work ?? INLINE_WORK,
    imageProxy: options.imageProxy,
    marketplaces: options.marketplaces ?? MARKETPLACES,
    version: options.version ?? '0.1.0',
  }
  const node = lazyNode(options.lite, {
    ...indexed,
    onSending: ({ boc }, outcome) => pending?.follow(boc, outcome),
  })
  const pending = openPending({ ...indexed, node }, options)
  const services: ApiServices = { ...indexed, node, pending }
  options.onServices?.(services)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // Parameters are parsed by the schemas of routes.
  app.set('query parser', false)
  app.set('trust proxy', [...(options.trustedProxies ?? [])])
  app.use(singleSlashes)
  app.use(measure(services))
  app.use(crossOrigin)
  app.use(limitRequest)
  mountHealth(app, services, options)
  if (options.streaming) {
    if (options.access) app.use(['/api/streaming/v2', '/streaming/v2'], options.access)
    options.onStreams?.(mountStreaming(app, services, options.streaming))
  }
  app.use(compression({ threshold: 1024, filter: isCompressible }))
  app.use(admission({ ...ADMISSION_LIMITS, ...options.admission }, services.metrics))
  app.use(countBytes({ ...BYTE_LIMITS, ...options.bytes }, services.metrics))
  const isShuttingDown = options.isShuttingDown ?? (() => false)
  const pages =
    options.pages &&
    mountPages(app, services, {
      ...options.pages,
      isShuttingDown,
      access: options.access,
      hasStreams: options.streaming !== undefined,
      descriptions: () => descriptions,
      pool: () => options.lite?.()?.pool,
    })
  // Descriptions are not counted and need no database.
  const descriptions: readonly Description[] = [
    mountDocumentation(app, [...V3_ROUTES, ...EXPORT_ROUTES], services),
    mountV2Documentation(app, services),
    mountEmulationDocumentation(app, services),
    ...(options.streaming ? [mountStreamingDocumentation(app, services)] : []),
  ] as readonly Description[]
  // Its clients know a secret instead of a key.
  mountPush(app, services, options.pending?.pushSecret)
  if (options.access) app.use('/api', options.access)
  app.use('/api/v3', chooseReplica(services))
  mountV2(app, services)
  mountRoutes(app, [...V3_ROUTES, ...EXPORT_ROUTES], services)
  mountEmulation(app, services, options.emulation)
  app.use((request: Request) => {
    throw new HttpError(404, `there is no ${request.path}; the interface is described at /api/v3/`)
  })
  if (pages) app.use(pageErrors(pages))
  app.use(errorHandler(services))
  return app
}

/** Pending messages are kept where the API writes; on a replica they do not exist. */
function openPending(
  { writableDb, ...beside }: Omit<ApiServices, 'pending'>,
  options: ApiOptions,
): Pending | undefined {
  if (!options.pending || !writableDb) return undefined
  const pending = new Pending({ ...beside, db: writableDb }, options.pending)
  options.onPending?.(pending)
  return pending
}

/** The library's list of text types lacks NDJSON. */
const isCompressible: NonNullable<compression.CompressionOptions['filter']> = (request, response) =>
  String(response.getHeader('Content-Type')).startsWith('application/x-ndjson') ||
  compression.filter(request, response)

function errorHandler({ log }: ApiServices) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const failure = toFailure(error)
    const { method, path } = request
    if (isAbandoned(request, response)) log.debug('request abandoned', { method, path, error })
    else if (failure.ours) log.error('request failed', { method, path, status: failure.status, error })
    // After a stream has begun, its status has been sent, so that only closing the connection can report a
    // failure.
    if (response.headersSent) {
      response.destroy()
      return
    }
    for (const name of ['ETag', 'Cache-Control', 'Trailer', 'X-Next-Cursor']) response.removeHeader(name)
    for (const [name, value] of Object.entries(failure.headers)) response.setHeader(name, value)
    sendJson(response, errorBody(failure), failure.status)
  }
}
