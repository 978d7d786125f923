import { expandSupportedTypes } from '@shardwalk/actions'
import {
  type Json,
  PendingActionsQuery,
  PendingTracesQuery,
  PendingTransactionsQuery,
  traceReplies,
  v3Replies,
} from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import { type PendingRow, pendingByHashes, pendingOfAccounts } from '@shardwalk/queries'
import {
  byDescendingLt,
  describeAddresses,
  type Indexed,
  indexedAmong,
  latest,
  type PendingAction,
  type PendingTrace,
  pendingTraceReply,
  renderPending,
  renderPendingActions,
  stillExpected,
  TYPICAL_BYTES,
  understood,
} from '@shardwalk/replies'
import { actionReplyFor } from '@shardwalk/streaming'
import { HttpError } from '../../http/errors.ts'
import { objectRoute, type RequestContext, type Route } from '../../http/route.ts'
import { OUT_OF_SERVICE } from './fails.ts'

const tag = 'Actions and traces'
const FAILS = {
  422: 'A parameter is unknown or has a wrong value, or a required one is missing.',
  ...OUT_OF_SERVICE,
}
const KNOWN =
  'Messages sent through this service are followed until their traces are complete and classified; then ' +
  'they are in `/api/v3/traces`. At most 256 traces, those sent last.'

const getPendingTransactions = objectRoute({
  path: '/api/v3/pendingTransactions',
  tag: 'Blockchain Data',
  summary: 'Transactions that are expected',
  description: `Transactions that have not happened yet, by descending lt, then account. ${KNOWN}`,
  query: PendingTransactionsQuery,
  reply: (rules) => v3Replies(rules).Transactions,
  isLive: true,
  fails: { 404: 'No pending trace concerns the accounts.', ...FAILS },
  handle: pendingTransactions,
})

const getPendingTraces = objectRoute({
  path: '/api/v3/pendingTraces',
  tag,
  summary: 'Traces that are not complete',
  description: `Transactions that have happened and those that are expected, by descending end lt. ${KNOWN}`,
  query: PendingTracesQuery,
  // MyTonWallet asks for actions as it does in `/traces`. They are always included.
  ignored: ['include_actions'],
  reply: (rules) => traceReplies(rules).Traces,
  isLive: true,
  fails: FAILS,
  handle: pendingTraces,
})

const getPendingActions = objectRoute({
  path: '/api/v3/pendingActions',
  tag,
  summary: 'Actions of traces that are not complete',
  description: `By descending end lt of the trace, then of the action. ${KNOWN}`,
  query: PendingActionsQuery,
  reply: (rules) => traceReplies(rules).Actions,
  isLive: true,
  fails: FAILS,
  handle: pendingActions,
})

export const PENDING_ROUTES: readonly Route[] = [getPendingTransactions, getPendingTraces, getPendingActions]

async function pendingTransactions(
  context: RequestContext,
  { account, trace_id: hashes }: PendingTransactionsQuery,
): Promise<Json> {
  const wanted = account && new Set(account.map(formatRawAddress))
  const rows = await (hashes
    ? pendingByHashes(storeOf(context), hashes)
    : pendingOfAccounts(storeOf(context), [...wanted!]))
  if (rows.length === 0) throw new HttpError(404, 'emulated traces not found')
  const { traces, indexed } = await openTraces(context, rows)
  const nodes = traces
    .filter((trace) => !isOvertaken(trace, indexed))
    .flatMap(stillExpected)
    .filter((node) => !wanted || wanted.has(node.account))
    .sort(byDescendingLt)
  const { address_book: book } = await described(
    context,
    nodes.flatMap((node) => node.listed),
  )
  return `{"transactions":[${nodes.map((node) => node.reply).join(',')}],"address_book":${book}}`
}

/** Its root was indexed after it was emulated: what follows from that is not known yet. */
const isOvertaken = ({ row }: PendingTrace, { begun }: Indexed): boolean =>
  row.trace_id === null && begun.has(row.hash_norm.toString('base64'))

async function pendingTraces(context: RequestContext, query: PendingTracesQuery): Promise<Json> {
  const { traces } = await openTraces(context, await rowsOf(context, query))
  const supported = supportedBy(context, query)
  const replies: Json[] = []
  const listed: string[] = []
  for (const trace of [...traces].sort(latestFirst)) {
    const actions = understood(renderPendingActions(context, trace), supported)
    const reply = pendingTraceReply(trace, {
      actions: actions.map((action) => actionReplyFor(action, supported)),
    })
    if (!reply) continue
    replies.push(reply)
    listed.push(...[...trace.nodes, ...actions].flatMap((one) => one.listed))
  }
  return withListing('traces', replies, await described(context, listed))
}

async function pendingActions(context: RequestContext, query: PendingActionsQuery): Promise<Json> {
  const { traces } = await openTraces(context, await rowsOf(context, query))
  const supported = supportedBy(context, query)
  const account = query.account && formatRawAddress(query.account)
  const actions = [...traces]
    .sort(latestFirst)
    .flatMap((trace) => understood(renderPendingActions(context, trace), supported))
    .filter((action) => account === undefined || action.accounts.includes(account))
  const text = (action: PendingAction) =>
    actionReplyFor(query.include_transactions ? action.whole() : action, supported)
  const listing = await described(
    context,
    actions.flatMap((action) => action.listed),
  )
  return withListing('actions', actions.map(text), listing)
}

function latestFirst(a: PendingTrace, b: PendingTrace): number {
  const [endA, endB] = [a, b].map(({ nodes }) => (nodes.length > 0 ? latest(nodes).lt : 0n)) as [
    bigint,
    bigint,
  ]
  return endA === endB ? 0 : endA < endB ? 1 : -1
}

const supportedBy = (
  { settings }: RequestContext,
  { supported_action_types: names }: { readonly supported_action_types?: readonly string[] | undefined },
): ReadonlySet<string> => expandSupportedTypes(names, settings.actionsVersion)

/** Where they are kept, which a replica does not have. Clients know the text. */
function storeOf({ writableDb }: RequestContext): Db {
  if (!writableDb) throw new HttpError(500, 'emulatedTracesRepository is not initialized')
  return writableDb
}

function rowsOf(
  context: RequestContext,
  {
    account,
    ext_msg_hash: hashes,
  }: { readonly account?: RawAddress | undefined; readonly ext_msg_hash?: readonly Buffer[] | undefined },
): Promise<readonly PendingRow[]> {
  const store = storeOf(context)
  return account
    ? pendingOfAccounts(store, [formatRawAddress(account)])
    : pendingByHashes(store, hashes ?? [])
}

interface Open {
  readonly traces: readonly PendingTrace[]
  readonly indexed: Indexed
}

/**
 * Those that the lists of the index do not have, as this request sees them: a trace is here until it is
 * there. The rows were read before, so that none is missed in between.
 */
async function openTraces(context: RequestContext, rows: readonly PendingRow[]): Promise<Open> {
  const indexed = await indexedAmong(context.db, rows)
  const open = rows.filter((row) => !indexed.settled.has(row.hash_norm.toString('base64')))
  const expected = open.reduce((sum, row) => sum + row.trace!.length, 0)
  context.size.expect(2 * expected + open.length * TYPICAL_BYTES.wholeTransaction, 'ask for one message')
  const store = storeOf(context)
  return {
    traces: await renderPending({ ...context, db: store, reading: (read) => read(store) }, open),
    indexed,
  }
}

interface ListingTexts {
  readonly address_book: Json
  readonly metadata: Json
}

async function described(context: RequestContext, listed: readonly string[]): Promise<ListingTexts> {
  const { noAddressBook, noMetadata } = context.settings
  const addresses = [...new Set(listed)].sort()
  if ((noAddressBook && noMetadata) || addresses.length === 0) return { address_book: '{}', metadata: '{}' }
  const { book, metadata } = await describeAddresses(context, addresses, !noMetadata)
  return { address_book: noAddressBook ? '{}' : objectOf(book), metadata: objectOf(metadata) }
}

const objectOf = (entries: ReadonlyMap<string, Json>): Json =>
  `{${[...entries].map(([key, value]) => `"${key}":${value}`).join(',')}}`

const withListing = (name: string, items: readonly Json[], { address_book, metadata }: ListingTexts): Json =>
  `{"${name}":[${items.join(',')}],"address_book":${address_book},"metadata":${metadata}}`
