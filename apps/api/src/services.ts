import type { Profile, ProfileRules } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import type { ImageProxy } from '@shardwalk/metadata'
import type { NodeAccess } from '@shardwalk/node-access'
import type { RequestWork } from '@shardwalk/node-access/requests'
import type { Logger, MetricsRegistry } from '@shardwalk/observability'
import type { Pending } from '@shardwalk/pending'
import type { AccountCache, HeadCache } from '@shardwalk/queries'
import type { ExportPace, ExportPlaces } from './http/export-pace.ts'
import type { ReadTurns } from './http/read-turns.ts'
import type { RecentRequests } from './http/recent-requests.ts'
import type { ReplicaSet } from './replicas/replica-set.ts'

/** Shared by all parts of the server. */
export interface ApiServices {
  readonly db: Db
  /** For background writes; undefined: nothing is written. */
  readonly writableDb: Db | undefined
  readonly log: Logger
  readonly metrics: MetricsRegistry
  readonly profile: Profile
  readonly rules: ProfileRules
  /** `limit` of lists that have none of their own. */
  readonly defaultLimit: number
  readonly head: HeadCache
  /** Where requests of API v3 are answered; `db` and `head` are those of a steady one. */
  readonly replicas: ReplicaSet
  /** Of large replies. */
  readonly readTurns: ReadTurns
  readonly accounts: AccountCache
  /** 0 disables exports. */
  readonly exportMaxRows: number
  readonly exportPlaces: ExportPlaces
  readonly exportPace: ExportPace
  /** For the status page. */
  readonly requests: RecentRequests
  /** Maximum size of a reply. */
  readonly maxReplyBytes: number
  /** Of what lite servers or other threads do for a request. */
  readonly requestDeadlineMs: number
  /** Undefined while there are no lite servers. */
  readonly node: () => NodeAccess | undefined
  /** Messages that were sent and have not happened yet; undefined: they are not followed. */
  readonly pending: Pending | undefined
  /** Performs long work for large requests. */
  readonly work: RequestWork
  readonly imageProxy: ImageProxy | undefined
  /** Names of NFT marketplaces by raw address. */
  readonly marketplaces: ReadonlyMap<string, string>
  readonly version: string
}
