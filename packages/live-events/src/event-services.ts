import type { Db } from '@shardwalk/db'
import type { NodeAccess } from '@shardwalk/node-access'
import type { Logger } from '@shardwalk/observability'
import type { Pending } from '@shardwalk/pending'
import type { RenderContext } from '@shardwalk/replies'

/** What events are read with. */
export interface EventServices {
  readonly db: Db
  readonly log: Logger
  /** Undefined while there are no lite servers. */
  readonly node: () => NodeAccess | undefined
  /** Messages that were sent and have not happened yet; undefined: they are not followed. */
  readonly pending: Pending | undefined
  /** What events are rendered with: nothing of it depends on a client. */
  readonly context: () => Promise<RenderContext>
  /** The contiguous range up to the newest indexed masterchain block; undefined if nothing is indexed. */
  readonly indexedRange: () => Promise<{ readonly from: number; readonly to: number } | undefined>
  /** The same over one server that has the block, for reads that belong together. */
  readonly pinned: (block: number | undefined) => Promise<EventServices>
}
