import { parseAddress, toStateAfterReply, toTraceTree, toTransactionsByHash } from '@shardwalk/api-schema'
import {
  type ActionRow,
  type AddressDirectory,
  allActionsOfTraces,
  type ChangeRow,
  type JettonWalletState,
  type TraceRow,
  transactionsOfTraces,
} from '@shardwalk/queries'
import {
  jettonWalletText,
  type RenderContext,
  renderActionParts,
  renderTransactions,
  sentHashOf,
  traceKey,
  treeOf,
} from '@shardwalk/replies'
import type {
  ActionsEvent,
  ChainEvent,
  JettonEvent,
  StateEvent,
  TraceEvent,
  TransactionsEvent,
} from '@shardwalk/streaming'
import { MAX_NODES, mayGrow, type TraceReading, type TraceTransactions } from './trace-transactions.ts'

/** Where the events of a block go, and which of them have subscribers. */
export interface EventSink extends TraceReading {
  /** Everything up to this masterchain block has been published. */
  readonly after: number | undefined
  /** Where traces that grow are kept from block to block. */
  readonly traces: TraceTransactions
  readonly publish: (event: ChainEvent) => Promise<void>
  /** Whether the hash of a message, normalised or as it was sent, has a subscriber. */
  readonly isTraceWatched: (hash: string) => boolean
  /** Those of the traces of which more is expected. */
  readonly expecting?: ((traces: readonly TraceRow[]) => Promise<ReadonlySet<TraceRow>>) | undefined
}

const addressesOf = (
  { context }: Pick<EventSink, 'context'>,
  ids: Iterable<bigint>,
): Promise<AddressDirectory> => context.accounts.load(context.db, ids, { states: false })

/** The transactions of watched accounts in these traces. */
export async function publishTransactions(sink: EventSink, traces: readonly TraceRow[]): Promise<void> {
  const { after, block, publish } = sink
  const expecting = await sink.expecting?.(traces)
  for (const trace of traces) {
    const transactions = (await sink.traces.ofWatched(trace, sink)).toReversed()
    if (transactions.length === 0) continue
    const event: TransactionsEvent = {
      kind: 'transactions',
      finality: 'finalized',
      key: traceKey(trace),
      after,
      block,
      transactions,
      isPart: expecting?.has(trace),
      mayGrow: mayGrow(trace, block),
    }
    await publish(event)
  }
}

/** The last of these states of every watched account. */
export async function publishStates(sink: EventSink, changes: readonly ChangeRow[]): Promise<void> {
  const directory = await addressesOf(
    sink,
    changes.map((row) => row.account_id),
  )
  const last = new Map(changes.map((row) => [directory.get(row.account_id).raw, row]))
  for (const [account, row] of last) {
    if (!sink.isWatched(account)) continue
    const event: StateEvent = {
      kind: 'account_state_change',
      finality: 'finalized',
      account,
      state: toStateAfterReply(row),
      after: sink.after,
    }
    await sink.publish(event)
  }
}

/** Wallets that are watched, or whose owner is. */
export async function publishWallets(
  sink: Pick<EventSink, 'context' | 'after' | 'publish' | 'isWatched'>,
  wallets: readonly JettonWalletState[],
): Promise<void> {
  const ids = wallets.flatMap((row) => [row.account_id, row.owner_id, row.jetton_id])
  const directory = await addressesOf(sink, ids)
  const raw = (id: bigint) => directory.get(id).raw
  for (const row of wallets) {
    const [wallet, owner, master] = [raw(row.account_id), raw(row.owner_id), raw(row.jetton_id)]
    if (!sink.isWatched(wallet) && !sink.isWatched(owner)) continue
    const event: JettonEvent = {
      kind: 'jettons_change',
      finality: 'finalized',
      wallet,
      owner,
      master,
      jetton: jettonWalletText(row, raw),
      after: sink.after,
    }
    await sink.publish(event)
  }
}

/** Actions of traces that are classified, and the traces themselves for subscribers by hash. */
export async function publishClassified(sink: EventSink, traces: readonly TraceRow[]): Promise<void> {
  const { context, after, publish, isTraceWatched } = sink
  const rows = await allActionsOfTraces(
    context.db,
    traces.map((trace) => trace.trace_id),
  )
  const directory = await addressesOf(
    sink,
    rows.flatMap((row) => row.account_ids),
  )
  const addressOf = (id: bigint) => directory.get(id).raw
  for (const trace of traces) {
    const own = rows.filter((row) => row.trace_id.equals(trace.trace_id))
    const isOfWatched = ({ account_ids }: ActionRow) =>
      account_ids.some((id) => sink.isWatched(addressOf(id)))
    if (own.some(isOfWatched)) {
      const actions = await renderActionParts(context, own.filter(isOfWatched), addressOf)
      const event: ActionsEvent = {
        kind: 'actions',
        finality: 'finalized',
        key: traceKey(trace),
        after,
        actions,
      }
      await publish(event)
    }
    const hashes = [traceKey(trace), sentHashOf(trace)]
    if (hashes.some((hash) => hash !== undefined && isTraceWatched(hash)))
      await publishTrace(sink, trace, own, addressOf)
  }
}

async function publishTrace(
  { context, after, publish }: EventSink,
  trace: TraceRow,
  rows: readonly ActionRow[],
  addressOf: (id: bigint) => string,
): Promise<void> {
  if (trace.nodes > MAX_NODES) return
  const rendered = await renderTransactions(context, await transactionsOfTraces(context.db, [trace]))
  const tree = treeOf(rendered)
  const actions = await renderActionParts(context, rows, addressOf)
  const listed = [...rendered.flatMap(({ part }) => part.listed), ...actions.flatMap((one) => one.listed)]
  const event: TraceEvent = {
    kind: 'trace',
    finality: 'finalized',
    key: traceKey(trace),
    sentHash: sentHashOf(trace),
    after,
    trace: toTraceTree(tree),
    transactions: toTransactionsByHash(tree),
    actions,
    listed: [...new Set(listed)],
  }
  await publish(event)
}

/** Ids of those addresses that were ever seen. */
export const idsOfAddresses = ({ db, accounts }: RenderContext, addresses: Iterable<string>) =>
  accounts.idsOf(
    db,
    [...addresses].flatMap((raw) => parseAddress(raw) ?? []),
  )
