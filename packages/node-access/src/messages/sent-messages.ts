import { type Db, insertSentMessage, type SentMessage, trimSentMessages } from '@shardwalk/db'
import { isMessageRefusal } from '@shardwalk/liteserver'
import type { Logger } from '@shardwalk/observability'

/** With more pending writes the database is too slow or unavailable, so further messages are not stored. */
const MAX_UNDER_WAY = 100
const TRIM_EVERY = 100

/**
 * Outcome of sending a message to lite servers. `unknown`: none has accepted or refused it, so it may still
 * be executed.
 */
export type SendOutcome = 'accepted' | 'refused' | 'unknown'

/** Called when a message is sent; `outcome` resolves when a server has decided. Must not throw. */
export type OnSending = (message: SentMessage, outcome: Promise<SendOutcome>) => void

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
    private readonly onSending: OnSending | undefined,
  ) {}

  /** Sends the message by `send`, which resolves when the first server has accepted it. */
  async sending(message: SentMessage, send: () => Promise<unknown>): Promise<void> {
    let resolve: (outcome: SendOutcome) => void = () => {}
    const outcome = new Promise<SendOutcome>((decide) => {
      resolve = decide
    })
    this.onSending?.(message, outcome)
    try {
      await send()
    } catch (error) {
      resolve(isMessageRefusal(error) ? 'refused' : 'unknown')
      throw error
    }
    resolve('accepted')
    this.remember(message)
  }

  private remember(message: SentMessage): void {
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
