import { describing, type EventShare, shareOf } from './event-share.ts'
import { type ChainEvent, type Descriptions, invalidationText, type TraceEvent } from './events.ts'
import type { Frame } from './outbox.ts'
import type { Notification, Protocol } from './protocol.ts'
import { V2 } from './protocol-v2.ts'
import { type Subscriber, Subscribers } from './subscribers.ts'

/** What the hub needs of the process. */
export interface HubPorts {
  /** Milliseconds. */
  readonly now: () => number
  /** Address book and metadata of accounts; undefined when they cannot be had. */
  readonly describe: (addresses: readonly string[], metadata: boolean) => Promise<Descriptions | undefined>
  /** Lets other work of the process go first from time to time. */
  readonly rest: () => Promise<void>
  /** Whether blocks are known before they are final; otherwise nothing is ever confirmed. Default: no. */
  readonly confirms?: () => boolean
  readonly onSent?: (type: string, finality: string) => void
}

interface Share extends EventShare {
  readonly subscriber: Subscriber
}

/** Hands events to their subscribers. Those of one trace have to be published one after another. */
export class EventHub {
  readonly subscribers = new Subscribers()

  /** `protocols`: those of the connections. */
  constructor(
    private readonly ports: HubPorts,
    private readonly protocols: readonly Protocol[] = [V2],
  ) {}

  async publish(event: ChainEvent): Promise<void> {
    for (const protocol of this.protocols)
      for (const notification of protocol.notificationsOf(event)) {
        const shares = this.sharesOf(protocol, notification)
        if (shares.length > 0) await this.send(protocol, notification, shares)
      }
  }

  /** What one connection missed, for it to be sent; undefined: it is not for it. */
  async frameOf(event: ChainEvent, subscriber: Subscriber): Promise<Frame | undefined> {
    const { protocol, subscription } = subscriber
    // Where clients resume, an event is one notification.
    const [notification] = protocol.notificationsOf(event)
    const share =
      notification && this.sharesOf(protocol, notification).find((one) => one.subscriber === subscriber)
    if (!share?.body || !this.admit(subscriber, notification!)) return undefined
    const descriptions = await this.descriptions(event, [share])
    const described = describing(subscription, share.listed(), descriptions)
    return {
      kind: 'event',
      text: protocol.textOf(notification!, share.body(), described),
      after: event.after,
    }
  }

  /** The trace will not be as it was published. */
  invalidate(key: string): void {
    const text = invalidationText(key)
    for (const subscriber of this.subscribers)
      if (subscriber.seen?.invalidate(key)) {
        subscriber.outbox.push({ kind: 'invalidation', text })
        this.ports.onSent?.('trace_invalidated', '')
      }
  }

  /** For one connection that may have got the trace before it was lost. */
  missedInvalidation(key: string, { seen }: Subscriber): Frame {
    seen?.invalidate(key)
    this.ports.onSent?.('trace_invalidated', '')
    return { kind: 'invalidation', text: invalidationText(key) }
  }

  private sharesOf(protocol: Protocol, notification: Notification): Share[] {
    const confirms = this.ports.confirms?.() === true
    const shares: Share[] = []
    for (const [subscriber, accounts] of this.concerned(notification.event)) {
      if (subscriber.protocol !== protocol) continue
      const { subscription } = subscriber
      const own = protocol.wanted({ notification, subscription, accounts, confirms })
      if (!own) continue
      const share = shareOf(notification.event, own, subscription)
      shares.push({
        subscriber,
        ...share,
        body: subscriber.has(notification.event, share.extent) ? undefined : share.body,
      })
    }
    return shares
  }

  /** Each connection once, with its accounts that the event concerns. */
  private concerned(event: ChainEvent): Iterable<readonly [Subscriber, readonly string[]]> {
    const { subscribers } = this
    switch (event.kind) {
      case 'transactions':
        return subscribers.ofAddresses(new Set(event.transactions.map(({ account }) => account)))
      case 'actions':
        return subscribers.ofAddresses(new Set(event.actions.flatMap(({ accounts }) => accounts)))
      case 'trace':
        return [...ofEither(subscribers, event)].map((subscriber) => [subscriber, []] as const)
      case 'account_state_change':
        return subscribers.ofAddresses([event.account])
      case 'jettons_change':
        return subscribers.ofAddresses(new Set([event.wallet, event.owner]))
    }
  }

  private async send(
    protocol: Protocol,
    notification: Notification,
    shares: readonly Share[],
  ): Promise<void> {
    const { event } = notification
    const asked = shares.map(({ subscriber }) => subscriber.subscription)
    const descriptions = await this.descriptions(event, shares)
    const frames = new Map<string, Frame>()
    const changed = new Set<Subscriber>()
    for (const [index, { subscriber, mark, extent, body, listed }] of shares.entries()) {
      await this.ports.rest()
      const { subscription } = subscriber
      if (subscription !== asked[index]) {
        changed.add(subscriber)
        continue
      }
      if (!body || !this.admit(subscriber, notification)) continue
      // How far a connection with a gap is cannot be stated.
      const after = protocol.resumes && subscriber.gaps === 0 ? event.after : undefined
      const key = `${after}${subscription.addressBook}${subscription.metadata}${mark}`
      const described = () => describing(subscription, listed(), descriptions)
      const text = () => protocol.textOf({ ...notification, event: { ...event, after } }, body(), described())
      const frame = frames.get(key) ?? { kind: 'event', text: text(), after }
      frames.set(key, frame)
      subscriber.outbox.push(frame, notification.snapshotOf)
      subscriber.got(event, extent)
      this.ports.onSent?.(notification.type, event.finality)
    }
    if (changed.size > 0) await this.sendAgain(protocol, notification, changed)
  }

  /** Their subscriptions have been replaced meanwhile, and that was acknowledged. */
  private async sendAgain(
    protocol: Protocol,
    notification: Notification,
    changed: ReadonlySet<Subscriber>,
  ): Promise<void> {
    const shares = this.sharesOf(protocol, notification).filter(({ subscriber }) => changed.has(subscriber))
    if (shares.length > 0) await this.send(protocol, notification, shares)
  }

  private admit({ seen }: Subscriber, { event, finality }: Notification): boolean {
    if (!seen || !finality || !('key' in event)) return true
    return seen.admit(event.key, finality, this.ports.now())
  }

  private async descriptions(event: ChainEvent, shares: readonly Share[]): Promise<Descriptions | undefined> {
    if (event.kind === 'account_state_change') return undefined
    const asking = shares.filter(
      ({ body, subscriber: { subscription: own } }) => body && (own.addressBook || own.metadata),
    )
    if (asking.length === 0) return undefined
    const listed = new Set(asking.flatMap((share) => share.listed()))
    return this.ports.describe(
      [...listed],
      asking.some(({ subscriber }) => subscriber.subscription.metadata),
    )
  }
}

/** Who subscribed to the trace by either hash of its message. */
const ofEither = (subscribers: Subscribers, { key, sentHash }: TraceEvent): ReadonlySet<Subscriber> =>
  new Set([...subscribers.ofTrace(key), ...(sentHash === undefined ? [] : subscribers.ofTrace(sentHash))])
