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
  traceKey,
  treeOf,
} from '@shardwalk/replies'
import type {
  ActionsNews,
  JettonNews,
  News,
  StateNews,
  TraceNews,
  TransactionsNews,
} from '@shardwalk/streaming'

/** Transactions of a trace in one event; of longer traces the latest are sent. */
const MAX_TRANSACTIONS = 1000
/** Larger traces are not read as a whole. */
const MAX_NODES = 4000

/** Where the news of a block go. */
export interface Telling {
  readonly context: RenderContext
  /** Everything up to this masterchain block has been told. */
  readonly after: number | undefined
  /** lt of the first transaction that is news. */
  readonly fromLt: bigint
  /** Masterchain block that brings the news; undefined: not one alone. */
  readonly block?: number | undefined
  readonly tell: (news: News) => Promise<void>
  /** Whether an account (raw) or a trace (key) interests anybody. */
  readonly isWatched: (account: string) => boolean
  readonly isTraceWatched: (key: string) => boolean
  /** Those of the traces of which more is expected. */
  readonly expecting?: ((traces: readonly TraceRow[]) => Promise<ReadonlySet<TraceRow>>) | undefined
}

const addressesOf = ({ context }: Telling, ids: Iterable<bigint>): Promise<AddressDirectory> =>
  context.accounts.load(context.db, ids, { states: false })

/** The transactions of watched accounts in these traces. */
export async function tellTransactions(telling: Telling, traces: readonly TraceRow[]): Promise<void> {
  const { context, after, tell, isWatched } = telling
  const expecting = await telling.expecting?.(traces)
  for (const trace of traces) {
    // A contract that calls itself for ever has one endless trace: only its news are read.
    const extent = trace.nodes > MAX_NODES ? { ...trace, start_lt: telling.fromLt } : trace
    const rows = await transactionsOfTraces(context.db, [extent])
    const directory = await addressesOf(
      telling,
      rows.map((row) => row.account_id),
    )
    const own = rows.filter((row) => isWatched(directory.get(row.account_id).raw))
    if (own.length === 0) continue
    const rendered = await renderTransactions(context, own.slice(-MAX_TRANSACTIONS))
    const transactions = rendered.map(({ part }) => part).reverse()
    const of = { finality: 'finalized', key: traceKey(trace), after, block: telling.block } as const
    const isPart = expecting?.has(trace)
    await tell({ kind: 'transactions', ...of, transactions, isPart } satisfies TransactionsNews)
  }
}

/** The last of these states of every watched account. */
export async function tellStates(telling: Telling, changes: readonly ChangeRow[]): Promise<void> {
  const directory = await addressesOf(
    telling,
    changes.map((row) => row.account_id),
  )
  const last = new Map(changes.map((row) => [directory.get(row.account_id).raw, row]))
  for (const [account, row] of last) {
    if (!telling.isWatched(account)) continue
    const news: StateNews = {
      kind: 'account_state_change',
      finality: 'finalized',
      account,
      state: toStateAfterReply(row),
      after: telling.after,
    }
    await telling.tell(news)
  }
}

/** Wallets that are watched, or whose owner is. */
export async function tellWallets(telling: Telling, wallets: readonly JettonWalletState[]): Promise<void> {
  const ids = wallets.flatMap((row) => [row.account_id, row.owner_id, row.jetton_id])
  const directory = await addressesOf(telling, ids)
  const raw = (id: bigint) => directory.get(id).raw
  for (const row of wallets) {
    const [wallet, owner, master] = [raw(row.account_id), raw(row.owner_id), raw(row.jetton_id)]
    if (!telling.isWatched(wallet) && !telling.isWatched(owner)) continue
    const news: JettonNews = {
      kind: 'jettons_change',
      finality: 'finalized',
      ...{ wallet, owner, master },
      jetton: jettonWalletText(row, raw),
      after: telling.after,
    }
    await telling.tell(news)
  }
}

/** Actions of traces that are classified, and the traces themselves for those who know their hash. */
export async function tellClassified(telling: Telling, traces: readonly TraceRow[]): Promise<void> {
  const { context, after, tell, isTraceWatched } = telling
  const rows = await allActionsOfTraces(
    context.db,
    traces.map((trace) => trace.trace_id),
  )
  const directory = await addressesOf(
    telling,
    rows.flatMap((row) => row.account_ids),
  )
  const addressOf = (id: bigint) => directory.get(id).raw
  for (const trace of traces) {
    const own = rows.filter((row) => row.trace_id.equals(trace.trace_id))
    const isOfWatched = ({ account_ids }: ActionRow) =>
      account_ids.some((id) => telling.isWatched(addressOf(id)))
    if (own.some(isOfWatched)) {
      const actions = await renderActionParts(context, own.filter(isOfWatched), addressOf)
      const news: ActionsNews = {
        kind: 'actions',
        finality: 'finalized',
        key: traceKey(trace),
        after,
        actions,
      }
      await tell(news)
    }
    if (isTraceWatched(traceKey(trace))) await tellTrace(telling, trace, own, addressOf)
  }
}

async function tellTrace(
  { context, after, tell }: Telling,
  trace: TraceRow,
  rows: readonly ActionRow[],
  addressOf: (id: bigint) => string,
): Promise<void> {
  if (trace.nodes > MAX_NODES) return
  const rendered = await renderTransactions(context, await transactionsOfTraces(context.db, [trace]))
  const tree = treeOf(rendered)
  const actions = await renderActionParts(context, rows, addressOf)
  const listed = [...rendered.flatMap(({ part }) => part.listed), ...actions.flatMap((one) => one.listed)]
  const news: TraceNews = {
    kind: 'trace',
    finality: 'finalized',
    key: traceKey(trace),
    after,
    trace: toTraceTree(tree),
    transactions: toTransactionsByHash(tree),
    actions,
    listed: [...new Set(listed)],
  }
  await tell(news)
}

/** Ids of those addresses that were ever seen. */
export const idsOfAddresses = ({ db, accounts }: RenderContext, addresses: Iterable<string>) =>
  accounts.idsOf(
    db,
    [...addresses].flatMap((raw) => parseAddress(raw) ?? []),
  )
