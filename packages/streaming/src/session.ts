import { errorText, Refused, statusText } from './refusal.ts'
import type { Subscriber, Subscribers } from './subscribers.ts'
import {
  readAddress,
  readSubscription,
  readTraceHash,
  type Subscription,
  type SubscriptionLimits,
} from './subscription.ts'

/** `subscribe` and `unsubscribe` that a connection may send in a second. */
const CHANGES_PER_SECOND = 10
const MAX_ID = 128

export interface SessionOptions {
  readonly subscribers: Subscribers
  readonly limits: SubscriptionLimits
  readonly actionsVersion?: string | undefined
  /** Milliseconds. */
  readonly now: () => number
  /** Sends what the connection missed after a masterchain block; what happens meanwhile waits. */
  readonly resume: (from: number) => void
}

/** The frames of a WebSocket. Every one has an answer, and none ends the connection. */
export class Session {
  private windowFrom = 0
  private changes = 0

  constructor(
    private readonly subscriber: Subscriber,
    private readonly options: SessionOptions,
  ) {}

  receive(text: string): void {
    let id: string | undefined
    try {
      const frame = parseFrame(text)
      id = idOf(frame)
      this.answer(frame, id)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.reply(errorText(error.message, id))
    }
  }

  private answer(frame: Frame, id: string | undefined): void {
    const operation = frame['operation'] ?? ''
    if (typeof operation !== 'string') throw new Refused('invalid request envelope: operation must be a text')
    if (operation === 'ping') this.reply(statusText('pong', id))
    else if (operation === 'subscribe') this.subscribe(frame, id)
    else if (operation === 'unsubscribe') this.unsubscribe(frame, id)
    else throw new Refused(`unknown operation: ${operation.slice(0, 128)}`)
  }

  private subscribe(frame: Frame, id: string | undefined): void {
    this.countChange()
    const { subscribers, limits, actionsVersion, resume } = this.options
    const wanted = readSubscription(frame, { wire: 'ws', limits, actionsVersion })
    // Before the first event of the new subscription.
    this.reply(statusText('subscribed', id))
    if (wanted.resumeFrom !== undefined) resume(wanted.resumeFrom)
    subscribers.change(this.subscriber, wanted)
  }

  private unsubscribe(frame: Frame, id: string | undefined): void {
    this.countChange()
    const addresses = listOf(frame, 'addresses').map(readAddress)
    const traces = listOf(frame, 'trace_external_hash_norms').map(readTraceHash)
    if (addresses.length + traces.length === 0)
      throw new Refused('addresses or trace_external_hash_norms are required')
    const before = this.subscriber.subscription
    const after: Subscription = {
      ...before,
      addresses: without(before.addresses, addresses),
      traces: without(before.traces, traces),
    }
    this.options.subscribers.change(this.subscriber, after)
    this.reply(statusText('unsubscribed', id))
  }

  private countChange(): void {
    const now = this.options.now()
    if (now - this.windowFrom >= 1000) {
      this.windowFrom = now
      this.changes = 0
    }
    if (++this.changes > CHANGES_PER_SECOND)
      throw new Refused(`too many operations: ${CHANGES_PER_SECOND} changes of a subscription per second`)
  }

  private reply(text: string): void {
    this.subscriber.outbox.push({ kind: 'status', text })
  }
}

type Frame = Readonly<Record<string, unknown>>

function parseFrame(text: string): Frame {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Refused(`invalid request envelope: ${(error as Error).message.slice(0, 200)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refused('invalid request envelope: a frame is a JSON object')
  return value as Frame
}

/** The client's name for a request. Throws `Refused`. */
export function idOf(body: Frame, wire: 'sse' | 'ws' = 'ws'): string | undefined {
  const id = body['id'] ?? undefined
  if (id === undefined) return undefined
  const about = wire === 'sse' ? 'invalid subscription request' : 'invalid request envelope'
  if (typeof id !== 'string') throw new Refused(`${about}: id must be a text`)
  if (id.length > MAX_ID) throw new Refused(`${about}: id has more than ${MAX_ID} characters`)
  return id
}

function listOf(frame: Frame, name: string): readonly string[] {
  const given = frame[name] ?? []
  if (!Array.isArray(given) || !given.every((item) => typeof item === 'string'))
    throw new Refused(`invalid unsubscribe request: ${name} must be a list of texts`)
  return given as readonly string[]
}

function without(all: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> {
  const left = new Set(all)
  for (const one of gone) left.delete(one)
  return left
}
