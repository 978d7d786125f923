import { expandSupportedTypes } from '@shardwalk/actions'
import { ActionsQuery, type Json, traceReplies } from '@shardwalk/api-schema'
import {
  type ActionFilter,
  type ActionRow,
  listActions,
  placesOfMessages,
  placesOfTransactions,
  type TransactionPlace,
  transactionsByHash,
} from '@shardwalk/queries'
import { listRoute, type Page, type RequestContext, type Route } from '../../http/route.ts'
import { actionText, addressesIn, showActions } from '../action-reply.ts'
import { Listing } from '../address-book-listing.ts'
import { renderTransactions } from '../reply-context.ts'
import { NOTHING } from '../trace-reply.ts'
import { ltBounds, timeBounds } from './bounds.ts'
import { BAD_QUERY, NO_MC_BLOCK, OUT_OF_SERVICE } from './fails.ts'

const getActions = listRoute({
  path: '/api/v3/actions',
  tag: 'actions',
  summary: 'Actions',
  description:
    'What people did, read from complete traces. Filters combine by AND. An action is shown when ' +
    'its type is understood by the client (`supported_action_types`) and no action around it is. ' +
    'Order: end of the trace in the direction of `sort`, trace, end of the action, id.',
  query: ActionsQuery,
  reply: (rules) => traceReplies(rules).Actions,
  rows: 'actions',
  row: (rules) => traceReplies(rules).Action,
  fails: { ...BAD_QUERY, ...NO_MC_BLOCK, ...OUT_OF_SERVICE },
  page: actionPage,
})

export const ACTION_ROUTES: readonly Route[] = [getActions]

async function actionPage(context: RequestContext, query: ActionsQuery): Promise<Page> {
  const { rows, next } = await listActions(context.db, await toFilter(context, query), query)
  return { ...(await render(context, rows, query)), next }
}

async function toFilter(context: RequestContext, query: ActionsQuery): Promise<ActionFilter> {
  const { db, accounts, settings } = context
  const account = query.account && (await accounts.idOf(db, query.account))
  const neverSeen = query.account !== undefined && account === undefined
  const byHash = query.tx_hash && (await placesOfTransactions(db, query.tx_hash))
  const byMessage = query.msg_hash && (await placesOfMessages(db, query.msg_hash))
  return {
    lt: ltBounds(query),
    time: timeBounds(query),
    account,
    transactions: neverSeen ? [] : both(byHash, byMessage),
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
  if (rows.length === 0) return NOTHING
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
