import { type Db, insertSentMessage, type SentMessage, trimSentMessages } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'

/** With more pending writes the database is too slow or unavailable, so further messages are not stored. */
const MAX_UNDER_WAY = 100
const TRIM_EVERY = 100

/**
 * Stores messages that lite servers accepted, in the background, so that sending works without a database and
 * with a replica.
 */
export class SentMessages {
  private underWay = 0
  private count = 0
  private isReported = false

  constructor(
    private readonly db: Db | undefined,
    private readonly log: Logger,
    private readonly onSent: ((message: SentMessage) => void) | undefined,
  ) {}

  remember(message: SentMessage): void {
    this.onSent?.(message)
    if (!this.db || this.underWay >= MAX_UNDER_WAY) return
    this.underWay++
    this.write(this.db, message)
      .then(() => {
        this.isReported = false
      })
      .catch((error: unknown) => {
        if (!this.isReported) this.log.warn('sent messages are not remembered', { error })
        this.isReported = true
      })
      .finally(() => this.underWay--)
  }

  private async write(db: Db, message: SentMessage): Promise<void> {
    await insertSentMessage(db, message)
    if (this.count++ % TRIM_EVERY === 0) await trimSentMessages(db)
  }
}
