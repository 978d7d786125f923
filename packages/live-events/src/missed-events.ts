import { COMPLETE_TRACE } from '@shardwalk/db'
import { tracesExpecting } from '@shardwalk/pending'
import {
  type ChangeRow,
  changesSince,
  jettonWalletsAmong,
  ltBefore,
  placesOfMessages,
  type TraceRow,
  tracesByIds,
  tracesWithActionsSince,
  unclassifiedAmong,
  walletsOfOwnersSince,
} from '@shardwalk/queries'
import type { RenderContext } from '@shardwalk/replies'
import { type EventHub, errorText, type Frame, type Subscriber } from '@shardwalk/streaming'
import {
  type EventSink,
  idsOfAddresses,
  publishClassified,
  publishStates,
  publishTransactions,
  publishWallets,
} from './event-reader.ts'
import type { EventServices } from './event-services.ts'
import { TraceTransactions } from './trace-transactions.ts'
import { readUnsettled, type Unsettled } from './unsettled.ts'

/** Transactions of the connection's accounts that are read for it. */
const MAX_CHANGES = 5_000
/** Traces with actions of the connection's accounts that are read for it. */
const MAX_TRACES = 1_000

/** Traces whose rows are read at once; their transactions are read one trace at a time. */
const TRACES = 50
/** Traces whose actions are read and rendered at once. */
const CLASSIFIED = 10
const WALLETS = 100

/** What one connection missed, and how it gets it. */
export interface Missed {
  readonly services: EventServices
  readonly hub: EventHub
  readonly subscriber: Subscriber
  /** Exclusive. */
  readonly from: number
  /** What comes after it is published to all. */
  readonly to: number
  /** Reads a piece of history when it is the connection's turn, which ends before anything is sent. */
  readonly inTurn: <T>(read: () => Promise<T>) => Promise<T>
  /** Called before anything is published with what cannot be published yet. */
  readonly expect: (unsettled: Unsettled) => void
}

/**
 * Sends one connection what it missed: snapshots of traces and the newest states, in the order of the chain.
 * Other connections go on meanwhile.
 */
export async function sendMissedEvents(missed: Missed): Promise<void> {
  if (missed.from < missed.to) await new MissedEvents(missed, await missed.services.context()).run()
}

interface Since {
  readonly accounts: readonly bigint[]
  readonly lt: bigint
}

class MissedEvents {
  private frames: Frame[] = []

  constructor(
    private readonly missed: Missed,
    private readonly context: RenderContext,
  ) {}

  async run(): Promise<void> {
    const { inTurn, subscriber } = this.missed
    const { types } = subscriber.subscription
    const found = await inTurn(() => this.readChanges())
    if (found.changes.length > MAX_CHANGES) return this.sendTooMuch()
    await this.expectUnsettled(found)
    const sink = this.sink(found.changes[0]?.lt ?? 0n)
    if (types.has('transactions')) await this.publishTransactions(sink, found.changes)
    if (types.has('account_state_change')) await this.piece(() => publishStates(sink, found.changes))
    if (types.has('jettons_change')) await this.publishWallets(sink, found)
    if (types.has('actions') || types.has('trace')) await this.publishActions(sink, found)
  }

  private sendTooMuch(): Promise<void> {
    const text = `too much has happened since ${this.missed.from}: read it from /api/v3`
    return this.missed.subscriber.outbox.pushAhead({ kind: 'status', text: errorText({ message: text }) })
  }

  /** Before the rest is read: what settles meanwhile is published twice, but not lost. */
  private async expectUnsettled({ lt }: Since): Promise<void> {
    const { inTurn, subscriber, from, to, expect } = this.missed
    const { types } = subscriber.subscription
    const unsettled = await inTurn(() => readUnsettled(this.context.db, { types, lt, from, to }))
    expect(unsettled)
    if (unsettled.isCut) await this.sendTooMuch()
  }

  /** Reads and renders in turn, then sends as fast as the client reads. */
  private async piece(read: () => Promise<unknown>): Promise<void> {
    const { inTurn, subscriber } = this.missed
    if (subscriber.outbox.isClosed) return
    await inTurn(read)
    for (const frame of this.frames.splice(0)) await subscriber.outbox.pushAhead(frame)
  }

  private async readChanges(): Promise<Since & { readonly changes: readonly ChangeRow[] }> {
    const { context } = this
    const { subscriber, from, to } = this.missed
    const accounts = await idsOfAddresses(context, subscriber.subscription.addresses)
    const lt = await ltBefore(context.db, from)
    const asked = { accounts, lt, mcBlockSeqno: from, to, limit: MAX_CHANGES + 1 }
    return { accounts, lt, changes: await changesSince(context.db, asked) }
  }

  private sink(fromLt: bigint): EventSink {
    const { hub, services, subscriber } = this.missed
    const { addresses, traces, minFinality } = subscriber.subscription
    return {
      context: this.context,
      after: undefined,
      traces: new TraceTransactions(),
      fromLt,
      publish: async (event) => {
        const frame = await hub.frameOf(event, subscriber)
        if (frame) this.frames.push(frame)
      },
      isWatched: (account) => addresses.has(account),
      isTraceWatched: (key) => traces.has(key),
      expecting: minFinality === 'finalized' ? undefined : (among) => tracesExpecting(services, among),
    }
  }

  private async publishTransactions(sink: EventSink, changes: readonly ChangeRow[]): Promise<void> {
    const ids = new Map(changes.flatMap(({ trace_id: id }) => (id ? [[id.toString('latin1'), id]] : [])))
    const places = new Map([...ids.keys()].map((id, index) => [id, index]))
    const placeOf = ({ trace_id }: TraceRow) => places.get(trace_id.toString('latin1'))!
    for (const some of groups([...ids.values()], TRACES)) {
      const traces = await this.missed.inTurn(() => tracesByIds(this.context.db, some))
      for (const trace of [...traces].sort((a, b) => placeOf(a) - placeOf(b)))
        await this.piece(() => publishTransactions(sink, [trace]))
    }
  }

  private async publishWallets(sink: EventSink, { accounts, lt }: Since): Promise<void> {
    const { db } = this.context
    const all = await this.missed.inTurn(async () => {
      const own = (await jettonWalletsAmong(db, accounts)).filter((row) => row.lt > lt)
      const owned = await walletsOfOwnersSince(db, { owners: accounts, lt, limit: MAX_CHANGES })
      return new Map([...own, ...owned].map((row) => [row.account_id, row]))
    })
    for (const some of groups([...all.values()], WALLETS)) await this.piece(() => publishWallets(sink, some))
  }

  /** Those that are not classified yet are published when they are. */
  private async publishActions(sink: EventSink, since: Since): Promise<void> {
    const { inTurn, from } = this.missed
    const asked = { ...since, mcBlockSeqno: from, limit: MAX_TRACES + 1 }
    const ids = await inTurn(() => tracesWithActionsSince(this.context.db, asked))
    if (ids.length > MAX_TRACES) return this.sendTooMuch()
    const traces = await inTurn(() => this.readClassified(ids))
    for (const some of groups(traces, CLASSIFIED)) await this.piece(() => publishClassified(sink, some))
  }

  /** Those of the traces, and of those that the connection knows by their hashes, that were missed. */
  private async readClassified(ofActions: readonly Buffer[]): Promise<readonly TraceRow[]> {
    const { db } = this.context
    const { subscriber, from } = this.missed
    const keys = [...subscriber.subscription.traces]
    const places = await placesOfMessages(
      db,
      keys.map((key) => Buffer.from(key, 'base64')),
    )
    const all = [...ofActions, ...places.map((place) => place.trace_id)]
    const ids = new Map(all.map((id) => [id.toString('latin1'), id]))
    const open = new Set((await unclassifiedAmong(db, [...ids.values()])).map((id) => id.toString('latin1')))
    const isMissed = (trace: TraceRow) =>
      trace.state === COMPLETE_TRACE &&
      trace.mc_seqno_end > from &&
      !open.has(trace.trace_id.toString('latin1'))
    const traces = (await tracesByIds(db, [...ids.values()])).filter(isMissed)
    return traces.sort((a, b) => a.mc_seqno_end - b.mc_seqno_end)
  }
}

function groups<T>(all: readonly T[], size: number): readonly T[][] {
  const count = Math.ceil(all.length / size)
  return Array.from({ length: count }, (_, i) => all.slice(i * size, (i + 1) * size))
}
