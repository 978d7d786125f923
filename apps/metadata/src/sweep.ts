import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
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
  readonly pauseMs?: number
  /** Called in every round, for the watchdog. */
  readonly onRound?: () => void
  /** Called every round with the state of the queue. */
  readonly report?: (queue: readonly MetadataQueueState[]) => void
}

/**
 * With this many waiting tasks, no more of the type are queued; the remaining tokens are found later. Items
 * are many: those of one slow host must not keep others from the queue.
 */
const MAX_WAITING = { nft_items: 50_000, nft_collections: 100_000, jetton_masters: 150_000 } as const
/** Pause after an error of the database. */
const FAILED_MS = 5_000
/** Rows of each token table per round. */
const PAGE_ROWS = 2_000

/**
 * Cycles through the token tables and queues tokens without metadata, with changed content, or with metadata
 * that is out of date. A token missed in one round is found in the next, so no notification can be lost.
 */
export async function sweepTokens(options: SweepOptions): Promise<void> {
  const { db, log, signal, report, pauseMs = 1_000 } = options
  const after = new Map<string, AccountId | null>()
  const round = async () => {
    options.onRound?.()
    const queue = await readMetadataQueue(db, Math.max(...Object.values(MAX_WAITING)))
    report?.(queue)
    const waiting = queue.reduce((sum, state) => sum + state.waiting, 0)
    for (const type of TOKEN_TYPES.filter((one) => waiting < MAX_WAITING[one])) {
      const page = await sweepMetadata(db, { type, after: after.get(type) ?? null, limit: PAGE_ROWS })
      after.set(type, page.next)
      if (page.queued > 0) log.debug('tokens queued for metadata', { type, tokens: page.queued })
    }
    await sleep(pauseMs, signal)
  }
  const onError = (error: unknown, retryInMs: number) =>
    log.warn('token sweep failed', { error, retry_in_ms: retryInMs })
  await loopUntilAborted(round, { signal, onError, firstDelayMs: FAILED_MS })
}
