import type { Db } from '@shardwalk/db'
import type { NodeAccess } from '@shardwalk/node-access'
import type { AccountCache } from '@shardwalk/queries'
import type { ConfirmedSource } from './confirmed/confirmed-blocks.ts'

/** What the examination of a pending message reads and runs. */
export interface PendingWorld {
  /** The primary, where the table of pending traces is. */
  readonly db: Db
  readonly accounts: AccountCache
  readonly node: NodeAccess
  /** Blocks that are signed and not final. */
  readonly confirmed: ConfirmedSource
  readonly signal: AbortSignal
  /** See `KeeperOptions`. */
  readonly ignoresSignatures: boolean
}
