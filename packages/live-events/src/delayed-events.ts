import {
  type ChangeRow,
  formerWalletsAmong,
  type JettonWalletState,
  jettonWalletsAmong,
  type TraceRow,
  tracesByIds,
  tracesEndedIn,
  unclassifiedAmong,
  unexaminedAmong,
} from '@shardwalk/queries'
import type { Subscribers } from '@shardwalk/streaming'
import { type EventSink, publishClassified, publishWallets } from './event-reader.ts'
import type { Unsettled } from './unsettled.ts'

/** As long as the classifier waits for contracts. Milliseconds. */
const PATIENCE_MS = 600_000
/** Of each kind; the oldest are given up first. */
const MAX_WAITING = 50_000
/** Traces published at a time. */
const GROUP = 100

interface WaitingTrace {
  readonly id: Buffer
  readonly seqno: number
  readonly since: number
}

interface WaitingAccount {
  readonly lt: bigint
  readonly seqno: number
  readonly since: number
  /** What the wallet was before the block, unless it was examined before the block was published. */
  readonly before: JettonWalletState | undefined
}

/**
 * What follows a block later: actions, when its traces have been classified, and balances of jetton wallets,
 * when they have been examined. Nothing here outlives the process: a client that resumes reads the tables,
 * and has what is not in them yet added here.
 */
export class DelayedEvents {
  private readonly traces = new Map<string, WaitingTrace>()
  private readonly accounts = new Map<bigint, WaitingAccount>()

  constructor(private readonly subscribers: Subscribers) {}

  get isWaiting(): boolean {
    return this.traces.size > 0 || this.accounts.size > 0
  }

  /** The first block of which something is still to come. */
  get oldest(): number | undefined {
    const waiting = [this.traces.values().next().value, this.accounts.values().next().value]
    const seqnos = waiting.flatMap((one) => one?.seqno ?? [])
    return seqnos.length === 0 ? undefined : Math.min(...seqnos)
  }

  /** When what waits longest was published. Milliseconds. */
  get waitingSince(): number | undefined {
    const waiting = [this.traces.values().next().value, this.accounts.values().next().value]
    const times = waiting.flatMap((one) => one?.since ?? [])
    return times.length === 0 ? undefined : Math.min(...times)
  }

  clear(): void {
    this.traces.clear()
    this.accounts.clear()
  }

  /** Adds what was missed up to `seqno`, if `others` do not wait for it. `now`: milliseconds. */
  add(
    { traces, accounts, wallets }: Unsettled,
    { others, seqno, now }: { readonly others: DelayedEvents; readonly seqno: number; readonly now: number },
  ): void {
    for (const { trace_id: id } of traces) {
      const key = textOf(id)
      if (!this.traces.has(key) && !others.traces.has(key)) this.traces.set(key, { id, seqno, since: now })
    }
    const before = new Map(wallets.map((row) => [row.account_id, row]))
    for (const { account_id: id, lt } of accounts) {
      const known = this.accounts.get(id) ?? { seqno, since: now, before: before.get(id) }
      if (!others.accounts.has(id)) this.accounts.set(id, { ...known, lt })
    }
    limit(this.traces)
    limit(this.accounts)
  }

  /** A block was published. `now`: milliseconds. */
  async expect(
    { context }: EventSink,
    {
      seqno,
      changes,
      now,
    }: { readonly seqno: number; readonly changes: readonly ChangeRow[]; readonly now: number },
  ): Promise<void> {
    if (this.subscribers.wants('actions') || this.subscribers.wants('trace'))
      for (const { trace_id: id } of await tracesEndedIn(context.db, seqno))
        this.traces.set(id.toString('latin1'), { id, seqno, since: now })
    if (this.subscribers.wants('jettons_change')) {
      const ids = [...new Set(changes.map((row) => row.account_id))]
      const before = new Map((await jettonWalletsAmong(context.db, ids)).map((row) => [row.account_id, row]))
      for (const { account_id: id, lt } of changes) {
        const known = this.accounts.get(id)
        const entry = {
          lt,
          seqno: known?.seqno ?? seqno,
          since: now,
          before: known?.before ?? before.get(id),
        }
        this.accounts.set(id, entry)
      }
    }
    limit(this.traces)
    limit(this.accounts)
  }

  /** Publishes what has become known since. */
  async settle(sink: EventSink, now: number): Promise<void> {
    await this.settleTraces(sink, now)
    await this.settleAccounts(sink, now)
  }

  private async settleTraces(sink: EventSink, now: number): Promise<void> {
    const { db } = sink.context
    const all = [...this.traces.values()]
    const open = new Set(
      (
        await unclassifiedAmong(
          db,
          all.map(({ id }) => id),
        )
      ).map(textOf),
    )
    // What cannot be classified is published without actions in the end.
    const due = all.filter(({ id, since }) => !open.has(textOf(id)) || now - since > PATIENCE_MS)
    for (let at = 0; at < due.length; at += GROUP) {
      const group = due.slice(at, at + GROUP)
      const rows = await tracesByIds(
        db,
        group.map(({ id }) => id),
      )
      await publishClassified(sink, inOrder(group, rows))
      for (const { id } of group) this.traces.delete(textOf(id))
    }
  }

  private async settleAccounts(sink: EventSink, now: number): Promise<void> {
    const { db } = sink.context
    const all = [...this.accounts]
    const asked = { ids: all.map(([id]) => id), lts: all.map(([, { lt }]) => lt) }
    const open = new Set(await unexaminedAmong(db, asked))
    const done = all.filter(([id]) => !open.has(id))
    const found = await jettonWalletsAmong(
      db,
      done.map(([id]) => id),
    )
    const wallets = new Map(found.map((row) => [row.account_id, row]))
    const unknown = done.filter(([id, { before }]) => !before && !wallets.has(id))
    const ended = await formerWalletsAmong(db, {
      ids: unknown.map(([id]) => id),
      seqnos: unknown.map(([, { seqno }]) => seqno),
    })
    const former = new Map(ended.map((row) => [row.account_id, row]))
    const published = done.flatMap(
      ([id, { before = former.get(id), lt }]) => wallets.get(id) ?? gone(before, lt),
    )
    await publishWallets(sink, published)
    // One that has changed meanwhile waits again.
    for (const [id, entry] of done) if (this.accounts.get(id) === entry) this.accounts.delete(id)
    for (const [id, { since }] of all) if (now - since > PATIENCE_MS) this.accounts.delete(id)
  }
}

/** A wallet that is no more holds nothing. */
const gone = (before: JettonWalletState | undefined, lt: bigint): JettonWalletState[] =>
  before ? [{ ...before, lt, balance: '0', code_hash: null, data_hash: null }] : []

const textOf = (hash: Buffer): string => hash.toString('latin1')

function inOrder(group: readonly WaitingTrace[], rows: readonly TraceRow[]): TraceRow[] {
  const byId = new Map(rows.map((row) => [textOf(row.trace_id), row]))
  return group.flatMap(({ id }) => byId.get(textOf(id)) ?? [])
}

function limit(waiting: Map<unknown, unknown>): void {
  for (const key of waiting.keys()) {
    if (waiting.size <= MAX_WAITING) return
    waiting.delete(key)
  }
}
