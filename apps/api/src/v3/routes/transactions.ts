import {
  AdjacentTransactionsQuery,
  type Json,
  requireWholeBlock,
  TransactionsByMasterchainBlockQuery,
  TransactionsByMessageQuery,
  TransactionsQuery,
  v3Replies,
} from '@shardwalk/api-schema'
import type { RawAddress } from '@shardwalk/model'
import {
  adjacentTransactions,
  listTransactions,
  listTransactionsByMessage,
  type TransactionFilter,
} from '@shardwalk/queries'
import { type Page, renderTransactionPage } from '@shardwalk/replies'
import { notFound } from '../../http/errors.ts'
import { listRoute, objectRoute, pageReply, type RequestContext, type Route } from '../../http/route.ts'
import { messageFilter } from '../message-filter.ts'
import { ltBounds, timeBounds } from './bounds.ts'
import { BAD_QUERY, NO_MC_BLOCK, OUT_OF_SERVICE } from './fails.ts'

const getTransactions = listRoute({
  path: '/api/v3/transactions',
  tag: 'Blockchain Data',
  summary: 'Transactions',
  description:
    'Filters are joined by AND, values of one list by OR. Order: `lt` in the direction of `sort` ' +
    '(with a time bound: `now`, then `lt`), ties by account ascending. Filters on messages select the ' +
    'transactions that received or sent one message with all of them.',
  query: TransactionsQuery,
  reply: (rules) => v3Replies(rules).Transactions,
  rows: 'transactions',
  row: (rules) => v3Replies(rules).Transaction,
  fails: { ...BAD_QUERY, ...NO_MC_BLOCK, ...OUT_OF_SERVICE },
  page: transactionPage,
})

const getTransactionsByMasterchainBlock = listRoute({
  path: '/api/v3/transactionsByMasterchainBlock',
  tag: 'Blockchain Data',
  summary: 'Transactions of all blocks that a masterchain block commits',
  description: 'Order: `lt` in the direction of `sort`, ties by account ascending.',
  query: TransactionsByMasterchainBlockQuery,
  reply: (rules) => v3Replies(rules).Transactions,
  rows: 'transactions',
  row: (rules) => v3Replies(rules).Transaction,
  fails: { ...BAD_QUERY, ...NO_MC_BLOCK, ...OUT_OF_SERVICE },
  page: pageOfMasterchainBlock,
})

const getTransactionsByMessage = listRoute({
  path: '/api/v3/transactionsByMessage',
  tag: 'Blockchain Data',
  summary: 'Transactions that received or sent a message',
  description:
    'As `/transactions`, with at least one of `msg_hash`, `body_hash`, `opcode`. Order: `lt` in the ' +
    'direction of `sort` (with a time bound: `now`, then `lt`), ties by account ascending.',
  query: TransactionsByMessageQuery,
  reply: (rules) => v3Replies(rules).Transactions,
  rows: 'transactions',
  row: (rules) => v3Replies(rules).Transaction,
  fails: { ...BAD_QUERY, ...NO_MC_BLOCK, ...OUT_OF_SERVICE },
  page: transactionPage,
})

const getAdjacentTransactions = objectRoute({
  path: '/api/v3/adjacentTransactions',
  tag: 'Blockchain Data',
  summary: 'Neighbours of a transaction',
  description:
    'The transaction that sent its inbound message and those that received its outbound ones, in ' +
    'order of `lt`.',
  query: AdjacentTransactionsQuery,
  reply: (rules) => v3Replies(rules).Transactions,
  fails: { ...BAD_QUERY, 404: 'There are none, or the transaction is not indexed.', ...OUT_OF_SERVICE },
  handle: neighbours,
})

export const TRANSACTION_ROUTES: readonly Route[] = [
  getTransactions,
  getTransactionsByMasterchainBlock,
  getTransactionsByMessage,
  getAdjacentTransactions,
]

async function transactionPage(context: RequestContext, query: TransactionsQuery): Promise<Page> {
  if (context.rules.blockFilter === 'reject') requireWholeBlock(query)
  const { opcode, direction } = query
  const among = await toFilter(context, query)
  if (OF_MESSAGE.every((name) => query[name] === undefined))
    return renderTransactionPage(context, await listTransactions(context.db, among, query))
  // The opcode is that of a received message.
  if (opcode !== undefined && direction === 'out') return renderTransactionPage(context, { rows: [] })
  const message = await messageFilter(context, query)
  const side = opcode !== undefined ? 'in' : direction
  return renderTransactionPage(
    context,
    await listTransactionsByMessage(context.db, { message, side, among }, query),
  )
}

const OF_MESSAGE = ['msg_hash', 'body_hash', 'opcode', 'direction', 'source', 'destination'] as const

async function toFilter(context: RequestContext, query: TransactionsQuery): Promise<TransactionFilter> {
  const idsOf = (addresses: readonly RawAddress[] | undefined) =>
    addresses && context.accounts.idsOf(context.db, addresses)
  return {
    accounts: await idsOf(query.account),
    excludedAccounts: await idsOf(query.exclude_account),
    hashes: query.hash,
    atLt: query.lt,
    lt: ltBounds(query),
    time: timeBounds(query),
    mcBlockSeqno: query.mc_seqno,
    workchain: query.workchain,
    shard: query.shard,
    seqno: query.seqno,
  }
}

async function pageOfMasterchainBlock(
  context: RequestContext,
  { seqno, ...page }: TransactionsByMasterchainBlockQuery,
): Promise<Page> {
  return renderTransactionPage(context, await listTransactions(context.db, { mcBlockSeqno: seqno }, page))
}

async function neighbours(context: RequestContext, query: AdjacentTransactionsQuery): Promise<Json> {
  const rows = await adjacentTransactions(context.db, query.hash, query.direction)
  if (rows.length === 0) throw notFound('adjacent transactions not found')
  return pageReply('transactions', renderTransactionPage(context, { rows }), context.size)
}
