import { expandSupportedTypes } from '@shardwalk/actions'
import { type Json, type TracesQuery, type TraceTransactionView, toTraceReply } from '@shardwalk/api-schema'
import { MESSAGE_KIND } from '@shardwalk/model'
import {
  actionsOfTraces,
  isUnsent,
  loadTransactionParts,
  messageKey,
  type TraceRow,
  type TransactionParts,
  type TransactionRow,
  transactionsOfTraces,
} from '@shardwalk/queries'
import type { Page, RequestContext } from '../http/route.ts'
import { actionText, addressesIn, type ShownAction, showActions } from './action-reply.ts'
import { Listing } from './address-book-listing.ts'
import { renderTransactions } from './reply-context.ts'

/** Larger traces are shown without their transactions. Source: API v3 of TON Center. */
const MAX_TRANSACTIONS = 4000

export const NOTHING: Page = { items: [], fields: { address_book: '{}', metadata: '{}' } }

/** Writes traces with their transactions and, when the query asks for them, their actions. */
export async function renderTraces(
  context: RequestContext,
  traces: readonly TraceRow[],
  query: TracesQuery,
): Promise<Page> {
  if (traces.length === 0) return NOTHING
  const shown = traces.filter((trace) => trace.nodes <= MAX_TRANSACTIONS)
  const rows = await transactionsOfTraces(context.db, shown)
  const parts = await loadTransactionParts(context.db, rows)
  const { items, addressBook } = await renderTransactions(context, rows, parts)
  const actions = query.include_actions ? await loadActions(context, shown, query) : undefined
  const listing = new Listing(context).list(...accountsOf(rows, parts))
  if (actions)
    listing.list(...(await context.accounts.idsOf(context.db, addressesIn([...actions.values()].flat()))))
  await listing.load({ metadata: true })
  const byTrace = groupByTrace(rows, items)
  const replies = traces.map((row) => {
    const transactions = shown.includes(row) ? (byTrace.get(keyOf(row.trace_id)) ?? []) : undefined
    return toTraceReply({
      row,
      state: 'complete',
      classification: row.failed ? 'failed' : row.unclassified ? 'unclassified' : 'ok',
      externalHash: externalHash(row, transactions?.[0]?.row, parts),
      transactions: transactions && linked(transactions, parts),
      actions: actions && (actions.get(keyOf(row.trace_id)) ?? []).map((action) => actionText(action)),
    })
  })
  const fields = listing.fields({ metadata: true })
  return {
    items: replies,
    fields: { ...fields, address_book: mergeBooks(fields['address_book']!, addressBook) },
  }
}

const keyOf = (hash: Buffer): string => hash.toString('latin1')

async function loadActions(
  context: RequestContext,
  traces: readonly TraceRow[],
  query: TracesQuery,
): Promise<ReadonlyMap<string, ShownAction[]>> {
  const supported = expandSupportedTypes(query.supported_action_types, context.settings.actionsVersion)
  const ids = traces.map((trace) => trace.trace_id)
  const actions = new Map<string, ShownAction[]>()
  for (const action of showActions(context, await actionsOfTraces(context.db, ids, supported))) {
    const key = keyOf(action.row.trace_id)
    actions.set(key, [...(actions.get(key) ?? []), action])
  }
  return actions
}

/** As of a list of transactions: account, sender of the in message, receivers of the out messages. */
function accountsOf(rows: readonly TransactionRow[], parts: TransactionParts): (bigint | null)[] {
  return rows.flatMap((row) => {
    const inMsg = parts.inMsg(row)
    const sender = inMsg && !isUnsent(inMsg) ? [inMsg.account_id] : []
    return [row.account_id, ...sender, ...parts.outMsgs(row).map((message) => message.destination_id)]
  })
}

interface Written {
  readonly row: TransactionRow
  readonly reply: Json
}

function groupByTrace(
  rows: readonly TransactionRow[],
  replies: readonly Json[],
): ReadonlyMap<string, Written[]> {
  const groups = new Map<string, Written[]>()
  for (const [index, row] of rows.entries()) {
    const key = keyOf(row.trace_id!)
    const group = groups.get(key)
    const written = { row, reply: replies[index]! }
    if (group) group.push(written)
    else groups.set(key, [written])
  }
  return groups
}

/** The transactions, each with the index of the one that sent its in message. */
function linked(transactions: readonly Written[], parts: TransactionParts): TraceTransactionView[] {
  const senders = new Map<string, number>()
  for (const [index, { row }] of transactions.entries())
    for (let i = 1n; i <= BigInt(row.out_msg_count); i++)
      senders.set(messageKey(row.account_id, row.lt + i), index)
  return transactions.map(({ row, reply }) => {
    const sent = row.in_msg_account_id !== null && row.in_msg_lt !== null
    return {
      hash: row.hash,
      inMsgHash: parts.inMsg(row)?.hash,
      parent: sent ? senders.get(messageKey(row.in_msg_account_id!, row.in_msg_lt!)) : undefined,
      reply,
    }
  })
}

const EXTERNAL_IN = MESSAGE_KIND.indexOf('external_in')

/** Null if the trace did not begin with an external message. */
function externalHash(
  trace: TraceRow,
  root: TransactionRow | undefined,
  parts: TransactionParts,
): Buffer | null {
  const message = root && parts.inMsg(root)
  if (message && message.kind !== EXTERNAL_IN) return null
  return trace.external_hash_norm ?? trace.external_hash
}

/** The second one includes the system's address, which is not an account. */
function mergeBooks(accounts: Json, transactions: Json): Json {
  const merged = { ...JSON.parse(transactions), ...JSON.parse(accounts) } as Record<string, unknown>
  return JSON.stringify(Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1))))
}
