import { Alarm } from '@shardwalk/concurrency'
import { type Classified, INDEXED_CHANNEL, QueueClassifier } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type pg from 'pg'

export interface WorkOptions {
  readonly pool: pg.Pool
  readonly log: Logger
  readonly signal: AbortSignal
  /** Called after every transaction. */
  readonly report?: (done: Classified, durationMs: number) => void
}

/** New blocks wake the loop, but facts about contracts that arrive later do not. */
const POLL_INTERVAL_MS = 1_000
const MAX_DELAY_MS = 15_000
const LOG_INTERVAL_MS = 10_000
/** Pause after each query as a multiple of its duration: it takes long if many traces wait for contracts. */
const PAUSE_FACTOR = 5

/** Classifies waiting traces until the signal aborts. The current transaction is finished first. */
export async function workLoop({ pool, log, signal, report }: WorkOptions): Promise<void> {
  const classifier = new QueueClassifier(pool)
  const blocks = new BlockListener(pool, signal)
  const done = { traces: 0, actions: 0, failed: 0 }
  let loggedAt = performance.now()
  let delay = POLL_INTERVAL_MS
  while (!signal.aborted) {
    const startedAt = performance.now()
    try {
      const round = await classifier.round()
      const durationMs = performance.now() - startedAt
      delay = POLL_INTERVAL_MS
      report?.(round, durationMs)
      done.traces += round.traces
      done.actions += round.actions
      done.failed += round.failed
      if (done.traces > 0 && performance.now() - loggedAt > LOG_INTERVAL_MS) {
        log.info('traces classified', { ...done })
        Object.assign(done, { traces: 0, actions: 0, failed: 0 })
        loggedAt = performance.now()
      }
      if (round.traces > 0) continue
      await blocks.wait(Math.max(POLL_INTERVAL_MS, durationMs * PAUSE_FACTOR))
    } catch (error) {
      if (signal.aborted) return
      log.warn('classification failed', { error, retry_in_ms: delay })
      await blocks.wait(delay)
      delay = Math.min(delay * 2, MAX_DELAY_MS)
    }
  }
}

/**
 * Wakes the loop when blocks have been indexed. Without a connection to listen on, only the timeout wakes it.
 */
class BlockListener {
  private client: pg.PoolClient | undefined
  private readonly alarm = new Alarm()

  constructor(
    private readonly pool: pg.Pool,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.drop())
  }

  async wait(atMostMs: number): Promise<void> {
    await this.listen().catch(() => {})
    await this.alarm.wait(atMostMs, this.signal)
  }

  private async listen(): Promise<void> {
    if (this.client || this.signal.aborted) return
    const client = await this.pool.connect()
    client.on('notification', () => this.alarm.ring())
    client.once('error', () => this.drop())
    this.client = client
    // If the signal aborted meanwhile, release the connection: the pool cannot close while it is in use.
    if (this.signal.aborted) this.drop()
    else await client.query(`listen ${INDEXED_CHANNEL}`)
  }

  private drop(): void {
    const client = this.client
    this.client = undefined
    client?.release(true)
  }
}
