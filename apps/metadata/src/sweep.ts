import { sleep } from '@shardwalk/concurrency'
import {
  type Db,
  type MetadataQueueState,
  readMetadataQueue,
  sweepMetadata,
  TOKEN_TYPES,
} from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'

export interface SweepOptions {
  readonly db: Db
  readonly log: Logger
  readonly signal: AbortSignal
  /** Rows of each token table in one round. */
  readonly pageSize?: number
  readonly pauseMs?: number
  /** Told what waits, every round. */
  readonly report?: (queue: readonly MetadataQueueState[]) => void
}

/** So many waiting tasks are enough work: the rest stays where it is, in the token tables. */
const ENOUGH_WAITING = 50_000

/**
 * Walks the token tables round and round and queues what has no metadata, other content than its metadata was made of, or metadata out of
 * date. What is missed in one round is found in the next: nothing depends on a message that may be lost.
 */
export async function sweepTokens(options: SweepOptions): Promise<void> {
  const { db, log, signal, report, pageSize = 2_000, pauseMs = 1_000 } = options
  const after = new Map<string, AccountId | null>()
  while (!signal.aborted) {
    try {
      const queue = await readMetadataQueue(db, ENOUGH_WAITING)
      report?.(queue)
      if (queue.reduce((sum, { waiting }) => sum + waiting, 0) < ENOUGH_WAITING)
        for (const type of TOKEN_TYPES) {
          const page = await sweepMetadata(db, { type, after: after.get(type) ?? null, limit: pageSize })
          after.set(type, page.next)
          if (page.queued > 0) log.debug('tokens queued for metadata', { type, tokens: page.queued })
        }
      await sleep(pauseMs, signal)
    } catch (error) {
      if (signal.aborted) return
      log.warn('token tables could not be looked through', { error })
      await sleep(5_000, signal)
    }
  }
}
