import { hash } from 'node:crypto'
import { type Admission, admitPending, type Db, PENDING_LIMITS, type PendingLimits } from '@shardwalk/db'
import { IndexerError, RecentSet, TokenBucket } from '@shardwalk/model'
import type { Logger, Metrics } from '@shardwalk/observability'
import { readSentMessage } from './read-sent.ts'

/** Where messages that full nodes pass on are kept. */
export interface ForwardedMessagesOptions {
  /** The primary, where pending messages are. */
  readonly db: Db
  readonly metrics: Metrics
  readonly log: Logger
  /** Monotonic milliseconds. Default: the process's clock. */
  readonly now?: () => number
}

/** Forwarded messages leave half of the room to clients of this service. */
const LIMITS: PendingLimits = {
  ...PENDING_LIMITS,
  rows: PENDING_LIMITS.rows / 2,
  bytes: PENDING_LIMITS.bytes / 2,
}
/** Of admitted messages: each costs an emulation. */
const RATE = { burst: 100, perSecond: 20 }
/** Admissions under way. With more, the database is slow or away. */
const MAX_UNDER_WAY = 8
/** Nodes pass on a message for longer than one overlay remembers it. */
const REMEMBERED = 16_384

/** `limited`: beyond the rate; `busy`: the database is slow; `false`: no external message. */
type Outcome = Admission | 'limited' | 'busy' | 'false' | 'failed'

/** Admits external messages that nodes forward. Never throws: the messages are unchecked input. */
export class ForwardedMessages {
  private readonly seen = new RecentSet<string>(REMEMBERED)
  private readonly underWay = new Set<Promise<void>>()
  private readonly results
  private readonly rate = new TokenBucket(RATE)
  private readonly now: () => number

  constructor(private readonly options: ForwardedMessagesOptions) {
    this.now = options.now ?? (() => performance.now())
    this.results = options.metrics.counter(
      'p2p_messages_total',
      'External messages of other senders that full nodes passed on, by what became of them.',
      ['result'],
    )
  }

  /** Handles a message that a node has forwarded. */
  take(boc: Buffer): void {
    const key = hash('sha256', boc, 'buffer').toString('latin1')
    if (this.seen.has(key)) return
    if (this.underWay.size >= MAX_UNDER_WAY) this.count('busy')
    else if (!this.rate.take(this.now())) this.count('limited')
    else this.begin(key, boc)
  }

  private begin(key: string, boc: Buffer): void {
    this.seen.add(key)
    const work = this.admit(boc)
      .then(
        (outcome) => this.count(outcome),
        (error: unknown) => {
          // It may be forwarded again when the database is back.
          this.seen.delete(key)
          this.count('failed')
          this.options.log.debug('a message was not admitted', { error })
        },
      )
      .finally(() => this.underWay.delete(work))
    this.underWay.add(work)
  }

  private async admit(boc: Buffer): Promise<Outcome> {
    let message: ReturnType<typeof readSentMessage>
    try {
      message = readSentMessage(boc)
    } catch (error) {
      if (error instanceof IndexerError) return 'false'
      throw error
    }
    return admitPending(this.options.db, message, LIMITS)
  }

  private count(result: Outcome): void {
    this.results.inc({ result })
  }

  /** Resolves when no write is in progress. */
  async close(): Promise<void> {
    await Promise.all(this.underWay)
  }
}
