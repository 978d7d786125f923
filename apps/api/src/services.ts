import type { Profile, ProfileRules } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import type { ImageProxy } from '@shardwalk/metadata'
import type { NodeAccess } from '@shardwalk/node-access'
import type { Logger, MetricsRegistry } from '@shardwalk/observability'
import type { AccountCache } from '@shardwalk/queries'
import type { IndexedHead } from './indexed-head.ts'
import type { RequestWork } from './work/request-work.ts'

/** What all parts of the server share. */
export interface ApiServices {
  readonly db: Db
  /** For what is written beside replies; undefined: nothing is. */
  readonly writableDb: Db | undefined
  readonly log: Logger
  readonly metrics: MetricsRegistry
  readonly profile: Profile
  readonly rules: ProfileRules
  /** `limit` of lists that have none of their own. */
  readonly defaultLimit: number
  readonly head: IndexedHead
  readonly accounts: AccountCache
  /** 0 disables exports. */
  readonly exportMaxRows: number
  /** Of one reply. */
  readonly maxReplyBytes: number
  /** Lite servers; undefined while there are none. */
  readonly node: () => NodeAccess | undefined
  /** Does what takes long for large requests. */
  readonly work: RequestWork
  readonly imageProxy: ImageProxy | undefined
  readonly version: string
}
