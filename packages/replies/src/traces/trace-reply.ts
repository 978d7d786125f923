import { expandSupportedTypes, knowsGasless } from '@shardwalk/actions'
import { type Json, type TracesQuery, type TraceTransactionView, toTraceReply } from '@shardwalk/api-schema'
import { Pace } from '@shardwalk/concurrency'
import { TRACE_STATE } from '@shardwalk/db'
import {
  actionsOfTraces,
  type MessageRow,
  messageKey,
  type TraceRow,
  type TransactionRow,
  transactionsOfTraces,
} from '@shardwalk/queries'
import { Listing } from '../accounts/address-book-listing.ts'
import {
  accountTexts,
  actionText,
  addressesIn,
  type ShownAction,
  showActions,
} from '../actions/action-reply.ts'
import type { Page, RenderContext } from '../render-context.ts'
import { type Rendered, spread, TYPICAL_BYTES } from '../reply-size.ts'
import { transactionBatches } from '../transactions/render-transactions.ts'
import { weighedGroups } from '../transactions/weighed-groups.ts'

/** Larger traces are returned without their transactions. Source: API v3 of TON Center. */
const MAX_TRANSACTIONS = 4000

/** An empty page. */
export const NOTHING: Page = { items: [], fields: { address_book: '{}', metadata: '{}' } }

/** Number of transactions of traces loaded together; a larger trace is loaded alone. */
const GROUP_TRANSACTIONS = 300
/** Traces by which the size of a page is judged, and their transactions unless the first alone has more. */
const SAMPLE_TRACES = 16
const SAMPLE_TRANSACTIONS = 600

/** Renders traces with their transactions and, if requested, their actions. */
export function renderTraces(context: RenderContext, traces: readonly TraceRow[], query: TracesQuery): Page {
  if (traces.length === 0) return NOTHING
  const transactions = traces.reduce((sum, trace) => sum + (isShown(trace) ? trace.nodes : 0), 0)
  context.size.expect(transactions * TYPICAL_BYTES.wholeTransaction, LESS)
  const listing = new Listing(context)
  return {
    items: traceTexts(context, traces, { query, listing, all: transactions }),
    fields: async () => {
      await context.reading((db) => listing.load({ metadata: true, db }))
      return listing.fields({ metadata: true })
    },
  }
}

const isShown = (trace: TraceRow): boolean => trace.nodes <= MAX_TRANSACTIONS

interface Rendering {
  readonly query: TracesQuery
  /** Collects the accounts of everything rendered. */
  readonly listing: Listing
  /** Transactions of the whole page. */
  readonly all: number
}

const LESS = 'lower `limit`'

async function* traceTexts(
  context: RenderContext,
  traces: readonly TraceRow[],
  rendering: Rendering,
): AsyncGenerator<Json> {
  const weight = (trace: TraceRow) => (isShown(trace) ? trace.nodes : 0)
  await expectLikeSample(context, traces, rendering)
  for (const group of weighedGroups(traces, { limit: GROUP_TRANSACTIONS, weight })) {
    const shown = group.filter(isShown)
    const actions = rendering.query.include_actions ? await loadActions(context, shown, rendering) : undefined
    const byTrace = await loadTransactions(context, shown, rendering)
    for (const row of group) {
      const transactions = isShown(row) ? (byTrace.get(row.piece) ?? []) : undefined
      yield toTraceReply({
        row,
        state: TRACE_STATE[row.state] ?? 'broken',
        classification: classificationOf(row),
        transactions: transactions && linked(transactions),
        actions: actions && (actions.get(keyOf(row.trace_id)) ?? []).map((action) => actionText(action)),
      })
      // Rendered transactions are released before the group ends.
      byTrace.delete(row.piece)
    }
  }
}

/** Throws `ReplyTooLarge` if the page would be too large, judged by some of its traces. */
async function expectLikeSample(
  context: RenderContext,
  traces: readonly TraceRow[],
  { query, all }: Rendering,
): Promise<void> {
  if (!context.size.isDoubtful(all * TYPICAL_BYTES.wholeTransaction)) return
  const sample: TraceRow[] = []
  let transactions = 0
  for (const trace of spread(traces.filter(isShown), SAMPLE_TRACES)) {
    if (sample.length > 0 && transactions + trace.nodes > SAMPLE_TRANSACTIONS) continue
    sample.push(trace)
    transactions += trace.nodes
  }
  const rendered = await loadTransactions(context, sample, { query, all, listing: new Listing(context) })
  context.size.expectLike(renderedIn(rendered), all, LESS)
}

/** Traces that are not complete have no actions yet. */
function classificationOf({ state, failed, unclassified }: TraceRow) {
  if (TRACE_STATE[state] !== 'complete' || (unclassified && !failed)) return 'unclassified'
  return failed ? 'failed' : 'ok'
}

async function loadTransactions(
  context: RenderContext,
  traces: readonly TraceRow[],
  { listing }: Rendering,
): Promise<Map<bigint, Written[]>> {
  const rows = await context.reading((db) => transactionsOfTraces(db, traces))
  const byTrace = new Map<bigint, Written[]>()
  const pace = new Pace()
  for await (const { rows: batch, parts, items } of transactionBatches(context, rows)) {
    const replies = items[Symbol.iterator]()
    for (const row of batch) {
      const inMsg = parts.inMsg(row)
      listing.list(row.account_id)
      if (inMsg) listing.listSource(inMsg)
      for (const message of parts.outMsgs(row)) listing.list(message.destination_id)
      const written = { row, inMsg, reply: replies.next().value as Json }
      const group = byTrace.get(row.of_piece)
      if (group) group.push(written)
      else byTrace.set(row.of_piece, [written])
      await pace.rest()
    }
  }
  return byTrace
}

const keyOf = (hash: Buffer): string => hash.toString('latin1')

function renderedIn(byTrace: ReadonlyMap<bigint, readonly Written[]>): Rendered {
  let bytes = 0
  let units = 0
  for (const written of byTrace.values())
    for (const { reply } of written) {
      bytes += reply.length
      units++
    }
  return { bytes, units }
}

async function loadActions(
  context: RenderContext,
  traces: readonly TraceRow[],
  { query, listing }: Rendering,
): Promise<ReadonlyMap<string, ShownAction[]>> {
  const supported = expandSupportedTypes(query.supported_action_types, context.settings.actionsVersion)
  const ids = traces.map((trace) => trace.trace_id)
  return context.reading(async (db) => {
    const rows = await actionsOfTraces(db, ids, supported)
    const { accounts } = context
    const addressOf = await accountTexts({ accounts, reading: (read) => read(db) }, rows)
    const shown = await showActions(context, rows, { addressOf, knowsGasless: knowsGasless(supported) })
    await listing.listAddresses(addressesIn(shown), db)
    const actions = new Map<string, ShownAction[]>()
    for (const action of shown) {
      const key = keyOf(action.row.trace_id)
      const group = actions.get(key)
      if (group) group.push(action)
      else actions.set(key, [action])
    }
    return actions
  })
}

interface Written {
  readonly row: TransactionRow
  readonly inMsg: MessageRow | undefined
  readonly reply: Json
}

/** The transactions, each with the index of the one that sent its in message. */
function linked(transactions: readonly Written[]): TraceTransactionView[] {
  const senders = new Map<string, number>()
  for (const [index, { row }] of transactions.entries())
    for (let i = 1n; i <= BigInt(row.out_msg_count); i++)
      senders.set(messageKey(row.account_id, row.lt + i), index)
  return transactions.map(({ row, inMsg, reply }) => {
    const sent = row.in_msg_account_id !== null && row.in_msg_lt !== null
    return {
      hash: row.hash,
      inMsgHash: inMsg?.hash,
      parent: sent ? senders.get(messageKey(row.in_msg_account_id!, row.in_msg_lt!)) : undefined,
      reply,
    }
  })
}
