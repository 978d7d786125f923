import { LEASE, whileLeased } from '@shardwalk/concurrency'
import {
  acceptEvent,
  claimEvents,
  type Db,
  type DueWebhook,
  dropEvent,
  failEvent,
  failText,
  hasNoConnection,
  isArchiveAway,
  type OutboxEvent,
  prolongEvent,
  releaseEvent,
} from '@shardwalk/db'
import { formatRawAddress } from '@shardwalk/model'
import type { Logger, Metrics } from '@shardwalk/observability'
import type { RenderContext } from '@shardwalk/replies'
import { DeliveryFailed, postEvent } from '../post.ts'
import { failureDelays, LEAST_ATTEMPTS, LEAST_FAILURES, PATIENCE_S, TEXT_PATIENCE_S } from '../schedule.ts'
import { type EventText, renderEvent } from './render-event.ts'

/** Deliveries of one process to one receiver at a time. */
const PER_WEBHOOK = 4
/** Failures in a row after which a receiver is tried with one event at a time. */
const DOUBTFUL = 3
/** Characters of what is kept of an error. */
const MAX_FAULT = 200

/** What deliveries share with the rest of the process. */
export interface DeliveryServices {
  readonly log: Logger
  readonly metrics: Metrics
  /** What events are rendered with. */
  readonly context: () => Promise<RenderContext>
}

/** Where events come from and how deliveries end. */
export interface DeliveryOptions {
  readonly services: DeliveryServices
  /** The server that has the outbox: what its events name is there, which may not be so on a replica. */
  readonly db: Db
  readonly allowPrivate: boolean
  readonly signal: AbortSignal
  /** A receiver has room again. */
  readonly onDone: () => void
  readonly random?: () => number
}

/** Deliveries in progress. Each receiver has places of its own: slow ones take none of the others'. */
export class Deliveries {
  private readonly running = new Map<number, number>()
  private readonly all = new Set<Promise<void>>()
  private readonly metrics

  constructor(private readonly options: DeliveryOptions) {
    const { metrics } = options.services
    this.metrics = {
      ended: metrics.counter('webhook_deliveries_total', 'Deliveries to webhooks.', ['outcome']),
      seconds: metrics.histogram('webhook_delivery_seconds', 'Time until a webhook replied.', []),
    }
  }

  /** Begins as many deliveries to the receiver as it has room for. Returns their number. */
  async begin(webhook: DueWebhook): Promise<number> {
    const places = webhook.failures >= DOUBTFUL ? 1 : PER_WEBHOOK
    const room = places - (this.running.get(webhook.id) ?? 0)
    if (room <= 0) return 0
    const events = await claimEvents(this.options.db, webhook, { limit: room, leaseSeconds: LEASE.seconds })
    for (const event of events) this.start(webhook, event)
    return events.length
  }

  /** Resolves when none is in progress. */
  async end(): Promise<void> {
    await Promise.all(this.all)
  }

  private start(webhook: DueWebhook, event: OutboxEvent): void {
    const { services, onDone } = this.options
    this.running.set(webhook.id, (this.running.get(webhook.id) ?? 0) + 1)
    const prolong = () => prolongEvent(this.options.db, event, LEASE.seconds)
    const work = whileLeased(() => this.deliver(webhook, event), prolong)
      // The lease ends, and the event is delivered again.
      .catch((error: unknown) => services.log.warn('webhook event stays', { webhook: webhook.id, error }))
      .finally(() => {
        this.all.delete(work)
        const left = this.running.get(webhook.id)! - 1
        if (left > 0) this.running.set(webhook.id, left)
        else this.running.delete(webhook.id)
        onDone()
      })
    this.all.add(work)
  }

  private async deliver(webhook: DueWebhook, event: OutboxEvent): Promise<void> {
    let rendered: EventText | undefined
    try {
      rendered = await this.render(event)
    } catch (error) {
      return await this.failText(webhook, event, error)
    }
    if (!rendered) return await this.skip(event)
    const { db, signal, allowPrivate } = this.options
    const { id, text, more } = rendered
    const since = performance.now()
    try {
      const { url, secrets } = webhook
      await postEvent({ url, secrets, id, body: Buffer.from(text) }, { allowPrivate, signal })
    } catch (error) {
      if (!(error instanceof DeliveryFailed)) throw error
      return await this.fail(webhook, event, error)
    }
    this.metrics.seconds.observe({}, (performance.now() - since) / 1000)
    this.metrics.ended.inc({ outcome: 'accepted' })
    await acceptEvent(db, event, more)
  }

  private async render(event: OutboxEvent): Promise<EventText | undefined> {
    const { services, db } = this.options
    const context = {
      ...(await services.context()),
      db,
      reading: <T>(read: (of: Db) => Promise<T>) => read(db),
    }
    return renderEvent(context, event)
  }

  /** What it was about is gone: repaired, or without actions that clients are shown. */
  private async skip(event: OutboxEvent): Promise<void> {
    const { services, db } = this.options
    this.metrics.ended.inc({ outcome: 'empty' })
    services.log.debug('webhook event is empty', { webhook: event.webhookId, type: event.type, id: event.id })
    await dropEvent(db, event)
  }

  /** Unless a server is away, which passes, its rows may be such that it never can be. */
  private async failText(webhook: DueWebhook, event: OutboxEvent, error: unknown): Promise<void> {
    const { services, db, signal } = this.options
    if (signal.aborted) return await releaseEvent(db, event)
    if (hasNoConnection(error) || isArchiveAway(error)) throw error
    this.metrics.ended.inc({ outcome: 'unwritten' })
    const fault = String(error).slice(0, MAX_FAULT)
    services.log.warn('webhook event cannot be written', { ...namesOf(event), error })
    const { eventDelay } = this.delaysOf(webhook, event)
    const isGivenUp = await failText(db, event, { fault, eventDelay, patience: TEXT_PATIENCE_S })
    if (isGivenUp) this.noteGivenUp(event, fault)
  }

  private async fail(webhook: DueWebhook, event: OutboxEvent, { message }: DeliveryFailed): Promise<void> {
    const { services, db, signal } = this.options
    if (signal.aborted) return await releaseEvent(db, event)
    this.metrics.ended.inc({ outcome: 'failed' })
    const { attempts } = event
    services.log.info('webhook did not accept an event', { webhook: webhook.id, attempts, fault: message })
    const delays = this.delaysOf(webhook, event)
    const failure = { fault: message, sentTo: webhook.url, ...delays, ...PATIENCE }
    const isGivenUp = await failEvent(db, event, failure)
    if (isGivenUp) this.noteGivenUp(event, message)
  }

  private delaysOf({ failures }: DueWebhook, { attempts }: OutboxEvent): ReturnType<typeof failureDelays> {
    const { random = Math.random } = this.options
    return failureDelays({ attempts, failures, random: random() })
  }

  private noteGivenUp(event: OutboxEvent, fault: string): void {
    this.metrics.ended.inc({ outcome: 'given up' })
    this.options.services.log.warn('webhook event is given up', { ...namesOf(event), fault })
  }
}

const PATIENCE = {
  patience: PATIENCE_S,
  leastAttempts: LEAST_ATTEMPTS,
  leastFailures: LEAST_FAILURES,
}

const namesOf = ({ webhookId, type, id, account, mcBlockSeqno }: OutboxEvent) => ({
  webhook: webhookId,
  type,
  id,
  account: formatRawAddress(account),
  mc_block_seqno: mcBlockSeqno,
})
