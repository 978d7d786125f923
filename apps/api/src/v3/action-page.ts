import { expandSupportedTypes } from '@shardwalk/actions'
import type { ActionsQuery, Json } from '@shardwalk/api-schema'
import { decodeCursor, encodeCursor, hashToNumber, numberToHash } from '../http/cursor.ts'
import type { Page, RequestContext } from '../http/route.ts'
import { actionText, addressesIn, showActions } from './action-reply.ts'
import { Listing } from './address-book-listing.ts'
import { type ActionPosition, type ActionRow, type ActionScan, listActions } from './queries/actions.ts'
import { ltRange } from './queries/sql.ts'
import {
  type TransactionPlace,
  tracesOfMessages,
  tracesOfTransactions,
  transactionsByHash,
} from './queries/traces.ts'
import { renderTransactions } from './reply-context.ts'
import { requireBatch } from './transaction-page.ts'

const EMPTY: Page = { items: [], fields: { address_book: '{}', metadata: '{}' } }

/** GET /actions. */
export async function actionPage(context: RequestContext, query: ActionsQuery): Promise<Page> {
  if (query.mc_seqno !== undefined) await requireBatch(context, query.mc_seqno)
  const scan = await toScan(context, query)
  if (!scan) return EMPTY
  const byTime = query.start_utime !== undefined || query.end_utime !== undefined
  const name = `act-${byTime ? 'time' : 'lt'}-${query.sort}`
  const after = query.cursor === undefined ? undefined : toPosition(decodeCursor(query.cursor, name, 6))
  const rows = await listActions(context.db, scan, { ...query, limit: query.limit + 1, after })
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const next = rows.length > query.limit && last ? encodeCursor(name, positionValues(last)) : undefined
  return { ...(await render(context, page, query)), next }
}

const positionValues = (row: ActionRow) => [
  ...[row.trace_end_lt, row.trace_end_utime, hashToNumber(row.trace_id)],
  ...[row.end_lt, row.end_utime, hashToNumber(row.action_id)],
]

const toPosition = (values: readonly bigint[]): ActionPosition => ({
  trace_end_lt: BigInt.asIntN(64, values[0]!),
  trace_end_utime: Number(BigInt.asIntN(32, values[1]!)),
  trace_id: numberToHash(values[2]!),
  end_lt: BigInt.asIntN(64, values[3]!),
  end_utime: Number(BigInt.asIntN(32, values[4]!)),
  action_id: numberToHash(values[5]!),
})

/** Undefined: nothing can match. */
async function toScan(context: RequestContext, query: ActionsQuery): Promise<ActionScan | undefined> {
  const { db, accounts, settings } = context
  const account = query.account && (await accounts.idOf(db, query.account))
  if (query.account && account === undefined) return undefined
  const byHash = query.tx_hash && (await tracesOfTransactions(db, query.tx_hash))
  const byMessage = query.msg_hash && (await tracesOfMessages(db, query.msg_hash))
  const transactions = both(byHash, byMessage)
  if (transactions?.length === 0) return undefined
  return {
    lt: ltRange(query.start_lt, query.end_lt),
    time: { from: query.start_utime, to: query.end_utime },
    account,
    transactions,
    actionIds: query.action_id,
    traceIds: query.trace_id,
    mcBlockSeqno: query.mc_seqno,
    types: query.action_type,
    withoutTypes: query.exclude_action_type,
    supported: expandSupportedTypes(query.supported_action_types, settings.actionsVersion),
  }
}

function both(
  a: readonly TransactionPlace[] | undefined,
  b: readonly TransactionPlace[] | undefined,
): readonly TransactionPlace[] | undefined {
  if (!a || !b) return a ?? b
  return a.filter(({ hash }) => b.some((other) => other.hash.equals(hash)))
}

async function render(
  context: RequestContext,
  rows: readonly ActionRow[],
  query: ActionsQuery,
): Promise<Page> {
  if (rows.length === 0) return EMPTY
  const actions = showActions(context, rows)
  const listing = new Listing(context).list(
    ...(await context.accounts.idsOf(context.db, addressesIn(actions))),
  )
  if (query.include_accounts) listing.print(...rows.flatMap((row) => row.account_ids))
  await listing.load({ metadata: true })
  const transactions = query.include_transactions ? await transactionTexts(context, rows) : undefined
  const items = actions.map((action) =>
    actionText(action, {
      ...(query.include_accounts && { accounts: action.row.account_ids.map((id) => listing.text(id)) }),
      ...(transactions && {
        transactions: action.row.tx_hashes.flatMap((hash) => transactions.get(keyOf(hash)) ?? []),
      }),
    }),
  )
  return { items, fields: listing.fields({ metadata: true }) }
}

const keyOf = (hash: Buffer): string => hash.toString('latin1')

async function transactionTexts(
  context: RequestContext,
  rows: readonly ActionRow[],
): Promise<ReadonlyMap<string, Json>> {
  const hashes = new Map(rows.flatMap((row) => row.tx_hashes).map((hash) => [keyOf(hash), hash]))
  const transactions = await transactionsByHash(context.db, [...hashes.values()])
  const { items } = await renderTransactions(context, transactions)
  return new Map(transactions.map((row, index) => [keyOf(row.hash), items[index]!]))
}
