import { setMaxListeners } from 'node:events'
import { Alarm, loopUntilAborted } from '@shardwalk/concurrency'
import {
  type Db,
  type DueWebhook,
  dueWebhooks,
  limitOutbox,
  listWebhooks,
  makeWebhooksDueAfterSetBack,
  passBlocks,
  type WebhookStatus,
} from '@shardwalk/db'
import type { Metrics } from '@shardwalk/observability'
import { Deliveries, type DeliveryServices } from './deliveries.ts'

/** Interval of polling while there are webhooks, and while there are none. Milliseconds. */
const POLL_MS = 500
const IDLE_POLL_MS = 5_000
/** How long a missing block is waited for before events of later ones are delivered. Milliseconds. */
const GAP_PATIENCE_MS = 15_000
const TEND_MS = 30_000
const MAX_WAITING = 1_000_000

/** Where the outbox is, and limits of its delivery. */
export interface DispatcherOptions {
  readonly services: DeliveryServices
  /** Where the outbox is. */
  readonly db: Db
  /** Whether receivers may have private addresses. */
  readonly allowPrivate: boolean
  /** Events that may wait for a webhook before later ones are not kept; default 1,000,000. */
  readonly maxWaiting?: number | undefined
  /** Milliseconds, default 500. */
  readonly pollMs?: number
}

/**
 * Delivers the events of the outbox. Any number of processes may do this; one that dies loses nothing,
 * because what it was delivering becomes due again.
 */
export class WebhookDispatcher {
  private readonly stop = new AbortController()
  private readonly alarm = new Alarm()
  private readonly deliveries: Deliveries
  private readonly gaps = new Map<number, { readonly horizon: number; readonly since: number }>()
  private readonly work: Promise<void>
  private readonly metrics: ReturnType<typeof outboxMetrics>
  private tendedAt = Number.NEGATIVE_INFINITY
  private count = 0

  constructor(private readonly options: DispatcherOptions) {
    const { services, db, allowPrivate } = options
    const { signal } = this.stop
    // Each delivery listens to it.
    setMaxListeners(0, signal)
    this.metrics = outboxMetrics(services.metrics)
    this.deliveries = new Deliveries({ services, db, allowPrivate, signal, onDone: () => this.alarm.ring() })
    this.work = loopUntilAborted(() => this.step(), {
      signal,
      onError: (error) => services.log.warn('webhooks are delayed', { error }),
    })
  }

  /** Ends deliveries; those in progress become due at once. */
  async close(): Promise<void> {
    this.stop.abort()
    await this.work
    await this.deliveries.end()
  }

  private async step(): Promise<void> {
    await this.tend()
    for (const webhook of await dueWebhooks(this.options.db)) {
      await this.passGap(webhook)
      await this.deliveries.begin(webhook)
    }
    const { pollMs = POLL_MS } = this.options
    await this.alarm.wait(this.count > 0 ? pollMs : IDLE_POLL_MS, this.stop.signal)
  }

  /** Events are delivered in the order of blocks; one that does not come is passed over in the end. */
  private async passGap({ id, horizon, gapTo }: DueWebhook): Promise<void> {
    const known = this.gaps.get(id)
    if (gapTo === null || gapTo <= horizon) this.gaps.delete(id)
    else if (known?.horizon !== horizon) this.gaps.set(id, { horizon, since: performance.now() })
    else if (performance.now() - known.since > GAP_PATIENCE_MS) {
      this.options.services.log.warn('webhooks do not wait for blocks', { from: horizon + 1, to: gapTo })
      await passBlocks(this.options.db, id, gapTo)
      this.alarm.ring()
    }
  }

  private async tend(): Promise<void> {
    const now = performance.now()
    const every = this.count > 0 ? TEND_MS : IDLE_POLL_MS
    if (now - this.tendedAt < every) return
    this.tendedAt = now
    const { db, services, maxWaiting = MAX_WAITING } = this.options
    const late = await makeWebhooksDueAfterSetBack(db)
    if (late > 0) services.log.warn('the clock of PostgreSQL was set back; webhooks go on', { entries: late })
    for (const { id, fullSeqno } of await limitOutbox(db, maxWaiting))
      services.log.warn('too many events wait for a webhook: later ones are not kept', {
        webhook: id,
        after_mc_block_seqno: fullSeqno,
      })
    const all = await listWebhooks(db)
    this.count = all.length
    this.metrics(all)
  }
}

function outboxMetrics(metrics: Metrics) {
  const waiting = metrics.gauge('webhook_events_waiting', 'Events that wait for a webhook.', ['webhook'])
  const oldest = metrics.gauge('webhook_oldest_seconds', 'Age of the oldest of them.', ['webhook'])
  const failing = metrics.gauge(
    'webhook_failing',
    '1: the last delivery failed; 2: given up; 3: too many events wait, and later ones are not kept.',
    ['webhook'],
  )
  const dead = metrics.gauge('webhook_dead_letters', 'Events of a webhook that were given up.', ['webhook'])
  return (all: readonly WebhookStatus[]): void => {
    for (const one of all) {
      const webhook = String(one.id)
      waiting.set({ webhook }, one.waiting)
      oldest.set({ webhook }, one.oldestSeconds)
      dead.set({ webhook }, one.dead)
      failing.set({ webhook }, levelOf(one))
    }
  }
}

const levelOf = ({ fullSeqno, givenUpAt, failures }: WebhookStatus): number =>
  fullSeqno !== undefined ? 3 : givenUpAt ? 2 : failures > 0 ? 1 : 0
