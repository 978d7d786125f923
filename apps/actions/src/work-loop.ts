import { Alarm, loopUntilAborted } from '@shardwalk/concurrency'
import {
  ChannelListener,
  type Classified,
  type DatabaseHandle,
  INDEXED_CHANNEL,
  QueueClassifier,
} from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'

export interface WorkOptions {
  readonly pool: DatabaseHandle['pool']
  readonly log: Logger
  readonly signal: AbortSignal
  /** Called after every transaction. */
  readonly report?: (done: Classified, durationMs: number) => void
  /** Called in every round, for the watchdog. */
  readonly onRound?: () => void
}

/** New blocks wake the loop, but facts about contracts that arrive later do not. */
const POLL_INTERVAL_MS = 1_000
const LOG_INTERVAL_MS = 10_000
/** Pause after each query as a multiple of its duration: it takes long if many traces wait for contracts. */
const PAUSE_FACTOR = 5

/** Classifies waiting traces until the signal aborts. The current transaction is finished first. */
export async function workLoop({ pool, log, signal, report, onRound }: WorkOptions): Promise<void> {
  const classifier = new QueueClassifier(pool)
  const alarm = new Alarm()
  const listener = new ChannelListener({ pool, channel: INDEXED_CHANNEL, onNotification: () => alarm.ring() })
  // A connection that listens would keep the pool from closing.
  if (signal.aborted) listener.close()
  signal.addEventListener('abort', () => listener.close(), { once: true })
  const done = { traces: 0, actions: 0, failed: 0 }
  let loggedAt = performance.now()
  const step = async () => {
    onRound?.()
    const startedAt = performance.now()
    const round = await classifier.round()
    const durationMs = performance.now() - startedAt
    report?.(round, durationMs)
    done.traces += round.traces
    done.actions += round.actions
    done.failed += round.failed
    if (done.traces > 0 && performance.now() - loggedAt > LOG_INTERVAL_MS) {
      log.info('traces classified', { ...done })
      Object.assign(done, { traces: 0, actions: 0, failed: 0 })
      loggedAt = performance.now()
    }
    if (round.traces === 0) await alarm.wait(Math.max(POLL_INTERVAL_MS, durationMs * PAUSE_FACTOR), signal)
  }
  const onError = (error: unknown, retryInMs: number) =>
    log.warn('classification failed', { error, retry_in_ms: retryInMs })
  await loopUntilAborted(step, { signal, onError, firstDelayMs: 1_000, maxDelayMs: 15_000 })
}
