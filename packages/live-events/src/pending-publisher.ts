import { toTraceTree, toTransactionsByHash } from '@shardwalk/api-schema'
import { Alarm, loopUntilAborted } from '@shardwalk/concurrency'
import { PENDING_STATE } from '@shardwalk/db'
import type { Pending } from '@shardwalk/pending'
import {
  invalidatedAmong,
  type PendingChange,
  type PendingRow,
  pendingAmong,
  pendingByHashes,
  pendingChanges,
  pendingOfAccounts,
  placesOfMessages,
} from '@shardwalk/queries'
import {
  byDescendingLt,
  indexedAmong,
  type PendingNode,
  type PendingTrace,
  renderPending,
  renderPendingActions,
} from '@shardwalk/replies'
import {
  type ActionsEvent,
  type EventHub,
  type Finality,
  type Frame,
  lower,
  type Subscriber,
  type TraceEvent,
  type TransactionPart,
  type TransactionsEvent,
} from '@shardwalk/streaming'
import type { EventServices } from './event-services.ts'

/** Between two looks when nothing notifies. Milliseconds. */
const POLL_MS = 1_000
/**
 * A change is seen when its transaction ends, which may be after that of a later one: all of these seconds
 * are looked at again.
 */
const LOOK_BACK_S = 15
/** Between two looks whether what was published is still there. Milliseconds. */
const CHECK_MS = 5_000

/** From where pending traces come, and where their events go. */
export interface PublisherOptions {
  readonly services: EventServices
  readonly pending: Pending
  readonly hub: EventHub
  readonly signal: AbortSignal
}

/** Publishes what is expected to happen, and that it will not happen after all. */
export class PendingPublisher {
  /** Versions that were published, by normalised hash; those that may be seen again. */
  private published: Map<string, number> | undefined
  /** The highest finality that was published last of those that are pending. */
  private readonly finalities = new Map<string, Finality>()
  private checkedAt = performance.now()
  private readonly alarm = new Alarm()

  constructor(private readonly options: PublisherOptions) {
    options.pending.onChange(() => this.alarm.ring())
  }

  async run(): Promise<void> {
    const { signal, services } = this.options
    await loopUntilAborted(() => this.step(), {
      signal,
      onError: (error) => services.log.warn('pending events are delayed', { error }),
    })
  }

  private async step(): Promise<void> {
    const { pending, signal } = this.options
    const changes = await pendingChanges(pending.db, LOOK_BACK_S)
    const { published } = this
    for (const change of changes) {
      const key = keyOf(change)
      // What happened before this process listened is not published.
      if (published && published.get(key) !== change.version) await this.publishChange(change)
      published?.set(key, change.version)
    }
    this.published = new Map(changes.map((change) => [keyOf(change), change.version]))
    if (performance.now() - this.checkedAt > CHECK_MS) {
      await this.check()
      this.checkedAt = performance.now()
    }
    await this.alarm.wait(POLL_MS, signal)
  }

  /** A crash of the database empties the table: what did not happen either would stay pending for clients. */
  private async check(): Promise<void> {
    const { pending, hub } = this.options
    const hashes = [...this.finalities.keys()].map((key) => Buffer.from(key, 'base64'))
    const there = new Set((await pendingAmong(pending.db, hashes)).map((hash) => hash.toString('base64')))
    const gone = hashes.filter((hash) => !there.has(hash.toString('base64')))
    for (const hash of gone) {
      const [place] = await placesOfMessages(pending.db, [hash])
      const key = hash.toString('base64')
      if (!place) hub.invalidate(key)
      this.finalities.delete(key)
    }
  }

  private async publishChange(change: PendingChange): Promise<void> {
    const { hub, pending, signal } = this.options
    const { subscribers } = hub
    const key = keyOf(change)
    if (PENDING_STATE[change.state] === 'invalidated') {
      this.finalities.delete(key)
      return hub.invalidate(key)
    }
    if (!subscribers.wantsUncertain || signal.aborted) return
    const hashes = [key, change.hash.toString('base64')]
    const isWatched =
      hashes.some((hash) => subscribers.hasTrace(hash)) ||
      change.accounts.some((one) => subscribers.hasAddress(one))
    if (!isWatched) return
    for (const events of await this.render(await pendingByHashes(pending.db, [change.hash_norm]))) {
      this.beforePublishing(key, events)
      for (const one of events) await hub.publish(one)
    }
  }

  /** Events of each of the traces. */
  private async render(rows: readonly PendingRow[]): Promise<readonly (readonly EventOfTrace[])[]> {
    if (rows.length === 0) return []
    const { services, pending } = this.options
    const context = await services.context()
    const { db } = pending
    const traces = await renderPending({ ...context, db, reading: (read) => read(db) }, rows)
    return traces.map((trace) => eventsOf(trace, renderPendingActions(context, trace)))
  }

  /**
   * What a connection that comes back has to know before what is final: the pending traces that it wants, as
   * they are now, and that others which it may know are void. Another process may have sent it their events.
   */
  async missedBy(subscriber: Subscriber): Promise<readonly Frame[]> {
    const { hub, pending } = this.options
    const { addresses, traces } = subscriber.subscription
    const accounts = [...addresses]
    const hashes = [...traces].map((key) => Buffer.from(key, 'base64'))
    const frames: Frame[] = []
    const rows = [
      ...(await pendingOfAccounts(pending.db, accounts)),
      ...(await pendingByHashes(pending.db, hashes)),
    ]
    const byHash = new Map(rows.map((row) => [keyOf(row), row]))
    for (const events of await this.render([...byHash.values()]))
      for (const one of events) {
        const frame = await hub.frameOf(one, subscriber)
        if (frame) frames.push(frame)
        if (!this.finalities.has(one.key)) this.finalities.set(one.key, one.finality)
      }
    // After the others: one that is invalidated meanwhile is published as such here or later, as any other.
    const gone = await invalidatedAmong(pending.db, { accounts, hashes })
    if (gone.length === 0) return frames
    const { complete } = await indexedAmong(pending.db, gone)
    for (const key of gone.map(keyOf))
      if (!complete.has(key)) frames.push(hub.missedInvalidation(key, subscriber))
    return frames
  }

  /** After a block was replaced, what was confirmed is only expected, and is taken back first. */
  private beforePublishing(key: string, events: readonly EventOfTrace[]): void {
    if (events.length === 0) return
    const highest = events.map((one) => one.finality).reduce((a, b) => (lower(a, b) === a ? b : a))
    const before = this.finalities.get(key)
    this.finalities.set(key, highest)
    if (before === 'confirmed' && highest === 'pending') this.options.hub.invalidate(key)
  }
}

const keyOf = ({ hash_norm }: Pick<PendingChange, 'hash_norm'>): string => hash_norm.toString('base64')

type EventOfTrace = TransactionsEvent | ActionsEvent | TraceEvent

/** Nothing when all of it is final: that is published from the tables. */
function eventsOf(trace: PendingTrace, actions: ReturnType<typeof renderPendingActions>): EventOfTrace[] {
  const { nodes, row } = trace
  const least = finalityOf(nodes)
  if (least === 'finalized') return []
  const key = row.hash_norm.toString('base64')
  const transactions = [...nodes]
    .sort(byDescendingLt)
    .map(({ account, lt, reply, listed }): TransactionPart => ({ account, lt, reply, listed }))
  const finality = finalityOf(nodes.filter((node) => !node.isCourtesy))
  const listed = [...nodes, ...actions].flatMap((one) => one.listed)
  return [
    { kind: 'transactions', finality: least, key, transactions },
    ...(actions.length > 0 ? [{ kind: 'actions', finality, least, key, actions } as const] : []),
    {
      kind: 'trace',
      finality,
      key,
      sentHash: row.hash.toString('base64'),
      actions,
      trace: toTraceTree(nodes),
      transactions: toTransactionsByHash(nodes),
      listed: [...new Set(listed)],
    },
  ]
}

/** Of actions without courtesies: a purchase is done before those land. Source: TON Center. */
const finalityOf = (nodes: readonly PendingNode[]): Finality =>
  nodes.map((node) => node.finality).reduce(lower, 'finalized')
