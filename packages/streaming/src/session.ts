import { CLOSE } from './outbox.ts'
import type { Change } from './protocol.ts'
import { errorText, Refused, statusText } from './refusal.ts'
import type { Subscriber, Subscribers } from './subscribers.ts'
import { type Beginning, cut, type Subscription, type SubscriptionLimits } from './subscription.ts'

/** Frames that change a subscription, per second. */
const CHANGES_PER_SECOND = 10
const MAX_ID = 128

/** What a session needs beside its connection. */
export interface SessionOptions {
  readonly subscribers: Subscribers
  readonly limits: SubscriptionLimits
  readonly actionsVersion?: string | undefined
  /** Milliseconds. */
  readonly now: () => number
  /** Sends what the connection missed; what happens meanwhile waits. */
  readonly resume: (from: Beginning) => void
  /**
   * Rejects with `Refused` if it is not known what happened after the block, with any other error if that
   * cannot be found out: the connection is closed then. Frames wait meanwhile.
   */
  readonly checkResume?: (from: number) => Promise<void>
  /** Everything up to this masterchain block was sent before what is sent now; undefined: not known. */
  readonly position?: () => number | undefined
}

/** The frames of a WebSocket. Every one has an answer, and none ends the connection. */
export class Session {
  private windowFrom = 0
  private changes = 0
  /** Frames behind one that is being checked. */
  private waiting: string[] | undefined

  constructor(
    private readonly subscriber: Subscriber,
    private readonly options: SessionOptions,
  ) {}

  receive(text: string): void {
    if (this.waiting) this.waiting.push(text)
    else this.take(text)
  }

  private take(text: string): void {
    const { wrongFrame } = this.subscriber.protocol
    let id: string | undefined
    try {
      const frame = parseFrame(text, wrongFrame)
      id = idOf(frame, wrongFrame)
      this.answer(frame, id)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.reply(errorText(error, id))
    }
  }

  private answer(frame: Frame, id: string | undefined): void {
    const { subscriber } = this
    const name = frame['operation'] ?? ''
    if (typeof name !== 'string')
      throw new Refused(`${subscriber.protocol.wrongFrame}: operation must be a text`)
    if (name === 'ping') {
      this.reply(statusText('pong', id, this.position(subscriber.subscription)))
      return
    }
    const operation = subscriber.protocol.operations.get(name)
    if (!operation) throw new Refused(`unknown operation: ${cut(name)}`)
    this.countChange()
    const { limits, actionsVersion, checkResume } = this.options
    const before = subscriber.subscription
    const change = operation({ frame, before, limits, actionsVersion })
    const { resumeFrom } = change.subscription
    if (checkResume && typeof resumeFrom === 'number') {
      this.waiting = []
      void this.answerChecked(checkResume(resumeFrom), change, id)
    } else this.accept(change, id)
  }

  private async answerChecked(checked: Promise<void>, change: Change, id: string | undefined): Promise<void> {
    const { outbox } = this.subscriber
    try {
      await checked
      if (!outbox.isClosed) this.accept(change, id)
    } catch (error) {
      if (error instanceof Refused) this.reply(errorText(error, id))
      else outbox.close(CLOSE.tryAgain, 'missed events cannot be read')
    }
    const { waiting = [] } = this
    this.waiting = undefined
    if (!outbox.isClosed) for (const text of waiting) this.receive(text)
  }

  private accept({ status, subscription }: Change, id: string | undefined): void {
    const { subscriber } = this
    const { subscribers, resume } = this.options
    const { resumeFrom } = subscription
    // Sent before the first event of the new subscription; a client that resumes gets what it missed after
    // it.
    this.reply(statusText(status, id, resumeFrom === undefined ? this.position(subscription) : undefined))
    if (resumeFrom !== undefined) resume(resumeFrom)
    subscribers.change(subscriber, subscription)
  }

  private position({ types }: Subscription): number | undefined {
    const { protocol, gaps } = this.subscriber
    return protocol.resumes && types.size > 0 && gaps === 0 ? this.options.position?.() : undefined
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

function parseFrame(text: string, about: string): Frame {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Refused(`${about}: ${(error as Error).message.slice(0, 200)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refused(`${about}: a frame is a JSON object`)
  return value as Frame
}

/** The client's name for a request. `about`: what a refusal begins with. Throws `Refused`. */
export function idOf(body: Frame, about: string): string | undefined {
  const id = body['id'] ?? undefined
  if (id === undefined) return undefined
  if (typeof id !== 'string') throw new Refused(`${about}: id must be a text`)
  if (id.length > MAX_ID) throw new Refused(`${about}: id has more than ${MAX_ID} characters`)
  return id
}
