import type { Db } from '@shardwalk/db'
import type { NodeAccess } from '@shardwalk/node-access'
import type { AccountCache } from '@shardwalk/queries'

/** What a look at a pending message reads and runs. */
export interface PendingWorld {
  /** The primary, where the table of pending traces is. */
  readonly db: Db
  readonly accounts: AccountCache
  readonly node: NodeAccess
  readonly signal: AbortSignal
  /** See `KeeperOptions`. */
  readonly ignoresSignatures: boolean
}
