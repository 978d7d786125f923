import { toTraceTree, toTransactionsByHash } from '@shardwalk/api-schema'
import { Alarm, loopUntilAborted } from '@shardwalk/concurrency'
import { PENDING_STATE } from '@shardwalk/db'
import { type PendingChange, pendingByHashes, pendingChanges } from '@shardwalk/queries'
import type { EventHub, Finality, News, TransactionPart } from '@shardwalk/streaming'
import type { Pending } from '../pending/pending.ts'
import { renderPendingActions } from '../pending/pending-actions.ts'
import { type PendingTrace, renderPending } from '../pending/pending-traces.ts'
import type { ApiServices } from '../services.ts'
import { streamContext } from './stream-context.ts'

/** Between two looks when nothing notifies. Milliseconds. */
const POLL_MS = 1_000
/**
 * A change is seen when its transaction ends, which may be after that of a later one: all of these seconds
 * are looked at again.
 */
const LOOK_BACK_S = 15

export interface TellerOptions {
  readonly services: ApiServices
  readonly pending: Pending
  readonly hub: EventHub
  readonly signal: AbortSignal
}

/** Tells the hub what is expected to happen, and that it will not happen after all. */
export class PendingTeller {
  /** Versions that were told, by normalised hash; those that may be seen again. */
  private told: Map<string, number> | undefined
  private readonly alarm = new Alarm()

  constructor(private readonly options: TellerOptions) {
    options.pending.onNews(() => this.alarm.ring())
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
    const { told } = this
    for (const change of changes) {
      const key = keyOf(change)
      // What happened before this process listened is not told.
      if (told && told.get(key) !== change.version) await this.tellChange(change)
      told?.set(key, change.version)
    }
    this.told = new Map(changes.map((change) => [keyOf(change), change.version]))
    await this.alarm.wait(POLL_MS, signal)
  }

  private async tellChange(change: PendingChange): Promise<void> {
    const { hub, pending, services, signal } = this.options
    const { subscribers } = hub
    const key = keyOf(change)
    if (PENDING_STATE[change.state] === 'invalidated') return hub.invalidate(key)
    if (!subscribers.wantsPending || signal.aborted) return
    const isWatched = subscribers.hasTrace(key) || change.accounts.some((one) => subscribers.hasAddress(one))
    if (!isWatched) return
    const context = await streamContext(services)
    const rows = await pendingByHashes(pending.db, [change.hash_norm])
    const { db } = pending
    for (const trace of await renderPending({ ...context, db, reading: (read) => read(db) }, rows))
      for (const news of newsOf(trace, renderPendingActions(context, trace))) await hub.tell(news)
  }
}

const keyOf = ({ hash_norm }: PendingChange): string => hash_norm.toString('base64')

/** Nothing when all of it has happened: that is told from the tables. */
function newsOf(trace: PendingTrace, actions: ReturnType<typeof renderPendingActions>): News[] {
  const { nodes, row } = trace
  if (!nodes.some((node) => node.isExpected)) return []
  const key = row.hash_norm.toString('base64')
  const transactions = [...nodes]
    .sort((a, b) => (a.lt < b.lt ? 1 : a.lt > b.lt ? -1 : 0))
    .map(({ account, lt, reply, listed }): TransactionPart => ({ account, lt, reply, listed }))
  const finality = finalityOfActions(trace)
  const listed = [...nodes, ...actions].flatMap((one) => one.listed)
  return [
    { kind: 'transactions', finality: 'pending', key, transactions },
    ...(actions.length > 0 ? [{ kind: 'actions', finality, key, actions } as const] : []),
    {
      ...{ kind: 'trace', finality, key, actions },
      trace: toTraceTree(nodes),
      transactions: toTransactionsByHash(nodes),
      listed: [...new Set(listed)],
    },
  ]
}

/** A purchase is done before its courtesy messages land. Source: TON Center. */
const finalityOfActions = ({ nodes }: PendingTrace): Finality =>
  nodes.some((node) => node.isExpected && !node.isCourtesy) ? 'pending' : 'finalized'
