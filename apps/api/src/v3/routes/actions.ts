import { expandSupportedTypes, STORED_ACTION_TYPES } from '@shardwalk/actions'
import { ActionsQuery, closestName, InvalidQuery, traceReplies } from '@shardwalk/api-schema'
import {
  type ActionFilter,
  listActions,
  placesOfMessages,
  placesOfTransactions,
  type TransactionPlace,
} from '@shardwalk/queries'
import { type Page, renderActions } from '@shardwalk/replies'
import { listRoute, type RequestContext, type Route } from '../../http/route.ts'
import { ltBounds, timeBounds } from './bounds.ts'
import { BAD_QUERY, NO_MC_BLOCK, OUT_OF_SERVICE } from './fails.ts'

const getActions = listRoute({
  path: '/api/v3/actions',
  tag: 'Actions and traces',
  summary: 'Actions',
  description:
    'Transfers, swaps and other operations, derived from complete traces. Filters combine by AND. An ' +
    'action is returned if the client supports its type (`supported_action_types`) and that of no action ' +
    'around it. Order: end of the trace in the direction of `sort`, trace, end of the action, id.',
  query: ActionsQuery,
  reply: (rules) => traceReplies(rules).Actions,
  rows: 'actions',
  row: (rules) => traceReplies(rules).ActionBase,
  fails: { ...BAD_QUERY, ...NO_MC_BLOCK, ...OUT_OF_SERVICE },
  page: actionPage,
})

export const ACTION_ROUTES: readonly Route[] = [getActions]

async function actionPage(context: RequestContext, query: ActionsQuery): Promise<Page> {
  const { rows, next } = await listActions(context.db, await toFilter(context, query), query)
  return renderActions(context, rows, query, next)
}

async function toFilter(context: RequestContext, query: ActionsQuery): Promise<ActionFilter> {
  const { db, accounts, settings } = context
  if (context.rules.unknownActionType === 'reject') refuseUnknownTypes(query)
  const account = query.account && (await accounts.idOf(db, query.account))
  const neverSeen = query.account !== undefined && account === undefined
  const transactions: (readonly TransactionPlace[])[] = neverSeen ? [[]] : []
  if (query.tx_hash) transactions.push(await placesOfTransactions(db, query.tx_hash))
  if (query.msg_hash) transactions.push(await placesOfMessages(db, query.msg_hash))
  return {
    lt: ltBounds(query),
    time: timeBounds(query),
    account,
    isInitiator: query.initiated_by_account,
    transactions,
    actionIds: query.action_id,
    traceIds: query.trace_id,
    mcBlockSeqno: query.mc_seqno,
    types: query.action_type,
    withoutTypes: query.exclude_action_type,
    supported: expandSupportedTypes(query.supported_action_types, settings.actionsVersion),
  }
}

/** Types that occur in replies but not in the table. */
const SHOWN_TYPES = ['extra_currency_transfer']

/** Throws `InvalidQuery`. */
function refuseUnknownTypes({ action_type, exclude_action_type }: ActionsQuery): void {
  for (const [name, types] of Object.entries({ action_type, exclude_action_type }))
    for (const type of types ?? [])
      if (!STORED_ACTION_TYPES.includes(type) && !SHOWN_TYPES.includes(type)) {
        const closest = closestName(type, STORED_ACTION_TYPES)
        const shown = JSON.stringify(type.length > 100 ? `${type.slice(0, 100)}…` : type)
        throw new InvalidQuery(
          `wrong value for parameter "${name}": ${shown} is not a type of action; did you mean "${closest}"?`,
        )
      }
}
