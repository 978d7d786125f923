import { isShown } from '@shardwalk/actions'
import type { Json } from '@shardwalk/api-schema'
import type { ActionTypes } from './action-types.ts'
import {
  type ActionPart,
  type Descriptions,
  invalidationText,
  type Members,
  type News,
  type TransactionPart,
} from './events.ts'
import type { Frame } from './outbox.ts'
import type { Protocol, ToldEvent } from './protocol.ts'
import { V2 } from './protocol-v2.ts'
import { type Subscriber, Subscribers } from './subscribers.ts'
import type { Subscription } from './subscription.ts'

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

/** What one connection gets of an event. */
interface Share {
  readonly subscriber: Subscriber
  /** Equal marks: equal texts. */
  readonly mark: string
  /** The part of the event that depends on the connection; undefined: nothing is left for it. */
  readonly body: (() => Json) | undefined
  readonly listed: () => readonly string[]
}

/** Hands news to the connections that asked for them. News of one trace have to be told one after another. */
export class EventHub {
  readonly subscribers = new Subscribers()

  /** `protocols`: those of the connections. */
  constructor(
    private readonly ports: HubPorts,
    private readonly protocols: readonly Protocol[] = [V2],
  ) {}

  async tell(news: News): Promise<void> {
    for (const protocol of this.protocols)
      for (const event of protocol.eventsOf(news)) {
        const shares = this.sharesOf(protocol, event)
        if (shares.length > 0) await this.send(protocol, event, shares)
      }
  }

  /** What one connection missed, for it to be sent; undefined: it is not for it. */
  async frameOf(news: News, subscriber: Subscriber): Promise<Frame | undefined> {
    const { protocol, subscription } = subscriber
    // Where clients resume, news are one event.
    const [event] = protocol.eventsOf(news)
    const share = event && this.sharesOf(protocol, event).find((one) => one.subscriber === subscriber)
    if (!share?.body || !this.admit(subscriber, event!)) return undefined
    const descriptions = await this.descriptions(news, [share])
    const described = describing(subscription, share.listed(), descriptions)
    return { kind: 'event', text: protocol.textOf(event!, share.body(), described), after: news.after }
  }

  /** The trace will not be as it was told. */
  invalidate(key: string): void {
    const text = invalidationText(key)
    for (const subscriber of this.subscribers)
      if (subscriber.seen?.invalidate(key)) {
        subscriber.outbox.push({ kind: 'invalidation', text })
        this.ports.onSent?.('trace_invalidated', '')
      }
  }

  /** For one connection that may have been told of the trace before it was lost. */
  missedInvalidation(key: string, { seen }: Subscriber): Frame {
    seen?.invalidate(key)
    this.ports.onSent?.('trace_invalidated', '')
    return { kind: 'invalidation', text: invalidationText(key) }
  }

  private sharesOf(protocol: Protocol, event: ToldEvent): Share[] {
    const confirms = this.ports.confirms?.() === true
    const shares: Share[] = []
    for (const [subscriber, accounts] of this.concerned(event.news)) {
      if (subscriber.protocol !== protocol) continue
      const { subscription } = subscriber
      const own = protocol.wanted({ event, subscription, accounts, confirms })
      if (own) shares.push({ subscriber, ...shareOf(event.news, own, subscription) })
    }
    return shares
  }

  /** Each connection once, with its accounts that the news concern. */
  private concerned(news: News): Iterable<readonly [Subscriber, readonly string[]]> {
    const { subscribers } = this
    switch (news.kind) {
      case 'transactions':
        return subscribers.ofAddresses(new Set(news.transactions.map(({ account }) => account)))
      case 'actions':
        return subscribers.ofAddresses(new Set(news.actions.flatMap(({ accounts }) => accounts)))
      case 'trace':
        return Array.from(subscribers.ofTrace(news.key), (subscriber) => [subscriber, []] as const)
      case 'account_state_change':
        return subscribers.ofAddresses([news.account])
      case 'jettons_change':
        return subscribers.ofAddresses(new Set([news.wallet, news.owner]))
    }
  }

  private async send(protocol: Protocol, event: ToldEvent, shares: readonly Share[]): Promise<void> {
    const { news } = event
    const asked = shares.map(({ subscriber }) => subscriber.subscription)
    const descriptions = await this.descriptions(news, shares)
    const frames = new Map<string, Frame>()
    const changed = new Set<Subscriber>()
    for (const [index, { subscriber, mark, body, listed }] of shares.entries()) {
      await this.ports.rest()
      const { subscription } = subscriber
      if (subscription !== asked[index]) {
        changed.add(subscriber)
        continue
      }
      if (!body || !this.admit(subscriber, event)) continue
      // Of a connection with a gap nothing can be said.
      const after = protocol.resumes && subscriber.gaps === 0 ? news.after : undefined
      const key = `${after}${subscription.addressBook}${subscription.metadata}${mark}`
      const described = () => describing(subscription, listed(), descriptions)
      const text = () => protocol.textOf({ ...event, news: { ...news, after } }, body(), described())
      const frame = frames.get(key) ?? { kind: 'event', text: text(), after }
      frames.set(key, frame)
      subscriber.outbox.push(frame, event.snapshotOf)
      this.ports.onSent?.(event.type, news.finality)
    }
    if (changed.size > 0) await this.sendAgain(protocol, event, changed)
  }

  /** What they asked for has been replaced meanwhile, and they have been told so. */
  private async sendAgain(
    protocol: Protocol,
    event: ToldEvent,
    changed: ReadonlySet<Subscriber>,
  ): Promise<void> {
    const shares = this.sharesOf(protocol, event).filter(({ subscriber }) => changed.has(subscriber))
    if (shares.length > 0) await this.send(protocol, event, shares)
  }

  private admit({ seen }: Subscriber, { news, finality }: ToldEvent): boolean {
    if (!seen || !finality || !('key' in news)) return true
    return seen.admit(news.key, finality, this.ports.now())
  }

  private async descriptions(news: News, shares: readonly Share[]): Promise<Descriptions | undefined> {
    if (news.kind === 'account_state_change') return undefined
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

/** `accounts`: those that the connection wants the news of. */
function shareOf(
  news: News,
  accounts: readonly string[],
  subscription: Subscription,
): Omit<Share, 'subscriber'> {
  switch (news.kind) {
    case 'transactions':
      return shareOfTransactions(news.transactions, accounts)
    case 'actions':
      return shareOfActions(news.actions, accounts, subscription)
    case 'trace':
      return {
        mark: filterMark(subscription),
        body: () => {
          const shown = shownActions(news.actions, subscription)
          return shown.length === 0 ? '' : listOf(shown)
        },
        listed: () => news.listed,
      }
    case 'account_state_change':
      return { mark: '', body: () => '', listed: () => [] }
    case 'jettons_change':
      return { mark: '', body: () => '', listed: () => [news.wallet, news.owner, news.master] }
  }
}

function shareOfTransactions(transactions: readonly TransactionPart[], accounts: readonly string[]) {
  const own = () => transactions.filter(({ account }) => accounts.includes(account))
  return {
    mark: accounts.join(),
    body: () => listOf(own()),
    listed: () => own().flatMap(({ listed }) => listed),
  }
}

function shareOfActions(
  actions: readonly ActionPart[],
  accounts: readonly string[],
  subscription: Subscription,
) {
  const own = shownActions(
    actions.filter((action) => action.accounts.some((account) => accounts.includes(account))),
    subscription,
  )
  return {
    mark: `${accounts.join()} ${filterMark(subscription)}`,
    body: own.length > 0 ? () => listOf(own) : undefined,
    listed: () => own.flatMap(({ listed }) => listed),
  }
}

const listOf = (parts: readonly (TransactionPart | ActionPart)[]): Json =>
  `[${parts.map(({ reply }) => reply).join(',')}]`

const shownActions = (actions: readonly ActionPart[], { actionTypes, supportedTypes }: Subscription) =>
  actions.filter(
    ({ type, ancestorTypes }) =>
      (!actionTypes || actionTypes.has(type)) &&
      isShown({ type, ancestor_type: ancestorTypes }, supportedTypes),
  )

const marks = new WeakMap<object, number>()
let marked = 0

/** Names the filters of a subscription, of which equal ones are one set as a rule. */
const filterMark = ({ actionTypes, supportedTypes }: Subscription): string =>
  `${actionTypes ? markOf(actionTypes) : ''} ${markOf(supportedTypes)}`

function markOf(types: ActionTypes): number {
  const mark = marks.get(types) ?? marked++
  marks.set(types, mark)
  return mark
}

function describing(
  { addressBook, metadata }: Subscription,
  listed: readonly string[],
  descriptions: Descriptions | undefined,
): Members {
  if (!descriptions) return []
  const cut = (entries: ReadonlyMap<string, Json>): Json => {
    const own = [...new Set(listed)].sort().filter((address) => entries.has(address))
    return `{${own.map((address) => `"${address}":${entries.get(address)}`).join(',')}}`
  }
  return [
    addressBook ? ['address_book', cut(descriptions.book)] : undefined,
    metadata ? ['metadata', cut(descriptions.metadata)] : undefined,
  ]
}
