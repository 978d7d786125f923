import { isShown } from '@shardwalk/actions'
import type { Json } from '@shardwalk/api-schema'
import {
  type ActionPart,
  type Descriptions,
  eventText,
  invalidationText,
  type JettonNews,
  type News,
  type TransactionPart,
} from './events.ts'
import { type Finality, rankOf } from './finality.ts'
import type { Frame } from './outbox.ts'
import { type Subscriber, Subscribers } from './subscribers.ts'
import type { EventType, Subscription } from './subscription.ts'

export interface HubPorts {
  /** Milliseconds. */
  readonly now: () => number
  /** Address book and metadata of accounts; undefined when they cannot be had. */
  readonly describe: (addresses: readonly string[], metadata: boolean) => Promise<Descriptions | undefined>
  /** Lets other work of the process go first from time to time. */
  readonly rest: () => Promise<void>
  /** Whether blocks are known before they are final; otherwise nothing is ever confirmed. Default: no. */
  readonly confirms?: () => boolean
  readonly onSent?: (type: EventType, finality: string) => void
}

/** What one connection gets of the news. */
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

  constructor(private readonly ports: HubPorts) {}

  async tell(news: News): Promise<void> {
    const shares = this.sharesFor(news)
    if (shares.length > 0) await this.send(news, shares)
  }

  /** What one connection missed, for it to be sent; undefined: it is not for it. */
  async frameOf(news: News, subscriber: Subscriber): Promise<Frame | undefined> {
    const share = this.sharesOf(news).find((one) => one.subscriber === subscriber)
    if (!share?.body || !this.isFor(subscriber, news) || !this.admit(subscriber, news)) return undefined
    const { subscription } = subscriber
    const descriptions = await this.descriptions(news, [share])
    const text = textOf(news, share.body(), describing(subscription, share.listed(), descriptions))
    return { kind: 'event', text, after: news.after }
  }

  /** The trace will not be as it was told. */
  invalidate(key: string): void {
    const text = invalidationText(key)
    for (const subscriber of this.subscribers)
      if (subscriber.seen?.invalidate(key)) {
        subscriber.outbox.push({ kind: 'event', text }, `invalidated ${key}`)
        this.ports.onSent?.('trace_invalidated', '')
      }
  }

  private isFor(subscriber: Subscriber, news: News): boolean {
    const { types, minFinality } = subscriber.subscription
    if (news.kind === 'transactions' && news.isPart && this.hearsOfRest(minFinality)) return false
    return types.has(news.kind) && rankOf(news.finality) >= rankOf(minFinality)
  }

  /** Whether who wants this is told of a trace as a whole, before all of it is final. */
  private hearsOfRest(minFinality: Finality): boolean {
    return minFinality === 'pending' || (minFinality === 'confirmed' && this.ports.confirms?.() === true)
  }

  private sharesFor(news: News): Share[] {
    return this.sharesOf(news).filter(({ subscriber }) => this.isFor(subscriber, news))
  }

  private sharesOf(news: News): Share[] {
    switch (news.kind) {
      case 'transactions':
        return this.sharesOfTransactions(news.transactions)
      case 'actions':
        return this.sharesOfActions(news.actions)
      case 'trace':
        return Array.from(this.subscribers.ofTrace(news.key), (subscriber) => ({
          subscriber,
          mark: filterMark(subscriber.subscription),
          body: () => actionsMember(shownActions(news.actions, subscriber.subscription)),
          listed: () => news.listed,
        }))
      case 'account_state_change':
        return [...this.subscribers.ofAddresses([news.account]).keys()].map((subscriber) => ({
          subscriber,
          mark: '',
          body: () => '',
          listed: () => [],
        }))
      case 'jettons_change':
        return this.sharesOfJetton(news)
    }
  }

  private sharesOfTransactions(transactions: readonly TransactionPart[]): Share[] {
    const found = this.subscribers.ofAddresses(new Set(transactions.map(({ account }) => account)))
    return [...found].map(([subscriber, accounts]) => {
      const own = () => transactions.filter(({ account }) => accounts.includes(account))
      return {
        subscriber,
        mark: accounts.join(),
        body: () =>
          `[${own()
            .map(({ reply }) => reply)
            .join(',')}]`,
        listed: () => own().flatMap(({ listed }) => listed),
      }
    })
  }

  private sharesOfActions(actions: readonly ActionPart[]): Share[] {
    const found = this.subscribers.ofAddresses(new Set(actions.flatMap(({ accounts }) => accounts)))
    return [...found].map(([subscriber, accounts]) => {
      const { subscription } = subscriber
      const own = shownActions(
        actions.filter((action) => action.accounts.some((account) => accounts.includes(account))),
        subscription,
      )
      return {
        subscriber,
        mark: `${accounts.join()} ${filterMark(subscription)}`,
        body: own.length > 0 ? () => `[${own.map(({ reply }) => reply).join(',')}]` : undefined,
        listed: () => own.flatMap(({ listed }) => listed),
      }
    })
  }

  private sharesOfJetton({ wallet, owner, master }: JettonNews): Share[] {
    return [...this.subscribers.ofAddresses(new Set([wallet, owner])).keys()].map((subscriber) => ({
      subscriber,
      mark: '',
      body: () => '',
      listed: () => [wallet, owner, master],
    }))
  }

  private async send(news: News, shares: readonly Share[]): Promise<void> {
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
      if (!body || !this.admit(subscriber, news)) continue
      const key = `${subscription.addressBook}${subscription.metadata}${mark}`
      const text = () => textOf(news, body(), describing(subscription, listed(), descriptions))
      const frame = frames.get(key) ?? { kind: 'event', text: text(), after: news.after }
      frames.set(key, frame)
      subscriber.outbox.push(frame, keyOf(news))
      this.ports.onSent?.(news.kind, news.finality)
    }
    if (changed.size > 0) await this.sendAgain(news, changed)
  }

  /** What they asked for has been replaced meanwhile, and they have been told so. */
  private async sendAgain(news: News, changed: ReadonlySet<Subscriber>): Promise<void> {
    const shares = this.sharesFor(news).filter(({ subscriber }) => changed.has(subscriber))
    if (shares.length > 0) await this.send(news, shares)
  }

  private admit({ seen }: Subscriber, news: News): boolean {
    if (!seen || !('key' in news)) return true
    return seen.admit(news.key, news.finality, this.ports.now())
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

/** Newer news replace older ones that a slow connection has not accepted. */
const keyOf = (news: News): string =>
  news.kind === 'account_state_change'
    ? `state ${news.account}`
    : news.kind === 'jettons_change'
      ? `jetton ${news.wallet}`
      : `${news.kind} ${news.key}`

const shownActions = (actions: readonly ActionPart[], { actionTypes, supportedTypes }: Subscription) =>
  actions.filter(
    ({ type, ancestorTypes }) =>
      (!actionTypes || actionTypes.has(type)) &&
      isShown({ type, ancestor_type: ancestorTypes }, supportedTypes),
  )

const actionsMember = (actions: readonly ActionPart[]): Json =>
  actions.length === 0 ? '' : `[${actions.map(({ reply }) => reply).join(',')}]`

const marks = new WeakMap<object, number>()
let marked = 0

/** Names the filters of a subscription: equal lists of supported types are one set (`readSubscription`). */
function filterMark({ actionTypes, supportedTypes }: Subscription): string {
  const mark = marks.get(supportedTypes) ?? marked++
  marks.set(supportedTypes, mark)
  return `${mark} ${actionTypes ? [...actionTypes].join() : ''}`
}

type Members = readonly (readonly [string, Json] | undefined)[]

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

function textOf(news: News, body: Json, described: Members): Json {
  const head: Members = [
    ['type', `"${news.kind}"`],
    ['finality', `"${news.finality}"`],
    'key' in news ? ['trace_external_hash_norm', `"${news.key}"`] : undefined,
  ]
  const resume: Members = [news.after === undefined ? undefined : ['resume_from', String(news.after)]]
  return eventText([...head, ...ownMembers(news, body), ...described, ...resume])
}

function ownMembers(news: News, body: Json): Members {
  switch (news.kind) {
    case 'transactions':
    case 'actions':
      return [[news.kind, body]]
    case 'trace':
      return [
        ['trace', news.trace],
        ['transactions', news.transactions],
        body === '' ? undefined : ['actions', body],
      ]
    case 'account_state_change':
      return [
        ['account', `"${news.account}"`],
        ['state', news.state],
      ]
    case 'jettons_change':
      return [['jetton', news.jetton]]
  }
}
