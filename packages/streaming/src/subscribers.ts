import { RecentMap } from '@shardwalk/model'
import type { Extent } from './event-share.ts'
import type { ChainEvent } from './events.ts'
import type { Outbox } from './outbox.ts'
import type { Protocol } from './protocol.ts'
import { SeenTraces } from './seen-traces.ts'
import { type EventType, NO_SUBSCRIPTION, type Subscription } from './subscription.ts'

/** Of one connection, besides one for each of its addresses. */
const MAX_GROWING_TRACES = 64

/** One connection. */
export class Subscriber {
  subscription: Subscription = NO_SUBSCRIPTION
  /** Undefined for those that get final events only. */
  seen: SeenTraces | undefined
  /** What it got last of traces that may grow. */
  private extents = new RecentMap<string, Extent>(MAX_GROWING_TRACES)
  /** How many times missed events are being sent; until that ends, nothing says how far the connection is. */
  gaps = 0

  constructor(
    readonly outbox: Outbox,
    readonly protocol: Protocol,
  ) {}

  /** Whether it got as much already. */
  has(event: ChainEvent, extent: Extent | undefined): boolean {
    const known = extent && 'key' in event ? this.extents.get(event.key) : undefined
    return known !== undefined && known.newest === extent!.newest && known.count >= extent!.count
  }

  /** It gets a part of an event. */
  got(event: ChainEvent, extent: Extent | undefined): void {
    if (event.kind !== 'transactions') return
    if (extent !== undefined && event.mayGrow) this.extents.set(event.key, extent)
    else this.extents.delete(event.key)
  }

  change(subscription: Subscription): void {
    this.subscription = subscription
    this.extents = new RecentMap(MAX_GROWING_TRACES + subscription.addresses.size)
    if (subscription.minFinality !== 'finalized') this.seen ??= new SeenTraces()
  }
}

/** Finds the connections that an event concerns, without looking at the others. */
export class Subscribers {
  private readonly byAddress = new Map<string, Listeners>()
  private readonly byTrace = new Map<string, Listeners>()
  private readonly all = new Set<Subscriber>()
  private readonly byType = new Map<EventType, number>()
  private uncertain = 0

  get count(): number {
    return this.all.size
  }

  get addresses(): number {
    return this.byAddress.size
  }

  get traces(): number {
    return this.byTrace.size
  }

  add(subscriber: Subscriber): void {
    this.all.add(subscriber)
  }

  /** Every connection, in order of arrival. */
  [Symbol.iterator](): Iterator<Subscriber> {
    return this.all.values()
  }

  /** Replaces what a connection wants. */
  change(subscriber: Subscriber, subscription: Subscription): void {
    const before = subscriber.subscription
    for (const address of before.addresses)
      if (!subscription.addresses.has(address)) leave(this.byAddress, address, subscriber)
    for (const trace of before.traces)
      if (!subscription.traces.has(trace)) leave(this.byTrace, trace, subscriber)
    for (const address of subscription.addresses) join(this.byAddress, address, subscriber)
    for (const trace of subscription.traces) join(this.byTrace, trace, subscriber)
    for (const type of before.types) this.byType.set(type, this.byType.get(type)! - 1)
    for (const type of subscription.types) this.byType.set(type, (this.byType.get(type) ?? 0) + 1)
    this.uncertain += Number(isOfUncertain(subscription)) - Number(isOfUncertain(before))
    subscriber.change(subscription)
  }

  remove(subscriber: Subscriber): void {
    this.change(subscriber, NO_SUBSCRIPTION)
    this.all.delete(subscriber)
  }

  /** Whether anybody wants events of the type. */
  wants(type: EventType): boolean {
    return (this.byType.get(type) ?? 0) > 0
  }

  /** Whether anybody subscribed to what is not final. */
  get wantsUncertain(): boolean {
    return this.uncertain > 0
  }

  hasAddress(address: string): boolean {
    return this.byAddress.has(address)
  }

  hasTrace(trace: string): boolean {
    return this.byTrace.has(trace)
  }

  ofTrace(trace: string): Iterable<Subscriber> {
    return listed(this.byTrace.get(trace))
  }

  /** Each connection once, with those of the addresses that it subscribed to. */
  ofAddresses(addresses: Iterable<string>): Map<Subscriber, string[]> {
    const found = new Map<Subscriber, string[]>()
    for (const address of addresses)
      for (const subscriber of listed(this.byAddress.get(address))) {
        const own = found.get(subscriber)
        if (own) own.push(address)
        else found.set(subscriber, [address])
      }
    return found
  }
}

const isOfUncertain = ({ types, minFinality }: Subscription): boolean =>
  types.size > 0 && minFinality !== 'finalized'

/** Most addresses have one listener, for which a set would be a waste. */
type Listeners = Subscriber | Set<Subscriber>

function join(index: Map<string, Listeners>, key: string, subscriber: Subscriber): void {
  const present = index.get(key)
  if (present === undefined) index.set(key, subscriber)
  else if (present instanceof Set) present.add(subscriber)
  else if (present !== subscriber) index.set(key, new Set([present, subscriber]))
}

function leave(index: Map<string, Listeners>, key: string, subscriber: Subscriber): void {
  const present = index.get(key)
  if (present === subscriber) index.delete(key)
  else if (present instanceof Set) {
    present.delete(subscriber)
    if (present.size === 0) index.delete(key)
  }
}

const listed = (listeners: Listeners | undefined): Iterable<Subscriber> =>
  listeners === undefined ? [] : listeners instanceof Set ? listeners : [listeners]
