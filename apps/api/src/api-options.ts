import type { Profile } from '@shardwalk/api-schema'
import type { ByteLimits } from '@shardwalk/concurrency'
import type { Db } from '@shardwalk/db'
import type { ImageProxy } from '@shardwalk/metadata'
import type { RequestWork } from '@shardwalk/node-access/requests'
import type { Logger, MetricsRegistry } from '@shardwalk/observability'
import type { Pending, PendingOptions } from '@shardwalk/pending'
import type { RequestHandler } from 'express'
import type { EmulationOptions } from './emulate/mount-emulation.ts'
import type { ReadinessPart } from './health.ts'
import type { AdmissionLimits } from './http/admission.ts'
import type { LiteServices } from './node/lazy-node.ts'
import type { PagesOptions } from './pages/mount-pages.ts'
import type { ReplicaSet } from './replicas/replica-set.ts'
import type { ApiServices } from './services.ts'
import type { StreamingOptions, Streams } from './streaming/streams.ts'

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
  /** Limit of what lite servers or other threads do for a request. Default 10 s, as TON Center's. */
  readonly requestDeadlineMs?: number
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
  /**
   * Makes the OpenAPI documents at once. They take a quarter of a second, for which other requests would wait
   * on the first request for one. Default: false, made on the first request.
   */
  readonly describesAtStart?: boolean
  /** Version in `X-API-Version`, except of API v2, and in the OpenAPI documents. */
  readonly version?: string
  /** Proxies whose `X-Forwarded-For`, `-Proto` and `-Prefix` are trusted. */
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
