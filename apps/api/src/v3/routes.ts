import {
  AdjacentTransactionsQuery,
  BlockReply,
  BlockShardsQuery,
  BlocksQuery,
  MasterchainInfoQuery,
  MessagesQuery,
  ShardStateQuery,
  TransactionsByMasterchainBlockQuery,
  TransactionsByMessageQuery,
  TransactionsQuery,
  toBlockReply,
  v3Replies,
} from '@shardwalk/api-schema'
import { findIndexedEnds } from '@shardwalk/queries'
import { notFound } from '../http/errors.ts'
import { listRoute, objectRoute, type Route } from '../http/route.ts'
import { blockFilter, blockPage } from './block-page.ts'
import { adjacentTransactions, transactionsByMessage } from './by-message-page.ts'
import { listMessages } from './message-page.ts'
import { ACCOUNT_ROUTES } from './routes/accounts.ts'
import { ADDRESS_BOOK_ROUTES } from './routes/address-book.ts'
import { CONTRACT_ROUTES } from './routes/contracts.ts'
import { DECODE_ROUTES } from './routes/decode.ts'
import { JETTON_ROUTES } from './routes/jettons.ts'
import { NFT_ROUTES } from './routes/nfts.ts'
import { TRACE_ROUTES } from './routes/traces.ts'
import { shardStatePage } from './shard-state-page.ts'
import { listTransactions } from './transaction-page.ts'

const BAD_QUERY = { 422: 'A parameter is unknown or has a wrong value.' }
const NO_MC_BLOCK = { 404: 'The masterchain block is not indexed.' }
const OUT_OF_SERVICE = {
  500: 'The query took too long, or something is broken.',
  503: 'The database is not available.',
}

const getMasterchainInfo = objectRoute({
  path: '/api/v3/masterchainInfo',
  tag: 'blocks',
  summary: 'First and last indexed masterchain block',
  description: 'The ends of the contiguous range that ends at the newest indexed block.',
  query: MasterchainInfoQuery,
  reply: (rules) => v3Replies(rules).MasterchainInfo,
  fails: { ...BAD_QUERY, 404: 'Nothing is indexed yet.', ...OUT_OF_SERVICE },
  async handle({ db }) {
    const ends = await findIndexedEnds(db)
    if (!ends) throw notFound('no blocks are indexed yet')
    return `{"last":${toBlockReply(ends.last)},"first":${toBlockReply(ends.first)}}`
  },
})

const getBlocks = listRoute({
  path: '/api/v3/blocks',
  tag: 'blocks',
  summary: 'Blocks',
  description:
    'Order: `gen_utime` in the direction of `sort`, then `workchain`, `shard`, then `seqno` in the direction of `sort`.',
  query: BlocksQuery,
  reply: (rules) => v3Replies(rules).Blocks,
  rows: 'blocks',
  row: () => BlockReply,
  fails: { ...BAD_QUERY, ...OUT_OF_SERVICE },
  page: (context, query) => blockPage(context, blockFilter(query), query),
})

const getShardState = listRoute({
  path: '/api/v3/masterchainBlockShardState',
  tag: 'blocks',
  summary: 'State of all shards as of a masterchain block',
  description:
    'The newest block of every shard that the masterchain block commits or knows, and that block itself, in order of `workchain`, `shard`, `seqno`. ' +
    'With the standard profile also the transactions of those blocks in ascending order of `lt`; `limit`, `offset` and `cursor` count these.',
  query: ShardStateQuery,
  reply: (rules) => v3Replies(rules).ShardState,
  rows: (rules) => (rules.shardState === 'blocks' ? 'blocks' : 'transactions'),
  row: (rules) => (rules.shardState === 'blocks' ? BlockReply : v3Replies(rules).Transaction),
  fails: { ...BAD_QUERY, 404: 'No block of that shard state is indexed.', ...OUT_OF_SERVICE },
  page: shardStatePage,
})

const getBlockShards = listRoute({
  path: '/api/v3/masterchainBlockShards',
  tag: 'blocks',
  summary: 'Blocks that a masterchain block commits',
  description:
    'New blocks since the previous masterchain block, the masterchain block included. Order as `/api/v3/blocks`.',
  query: BlockShardsQuery,
  reply: (rules) => v3Replies(rules).Blocks,
  rows: 'blocks',
  row: () => BlockReply,
  fails: {
    ...BAD_QUERY,
    404: 'The masterchain block is not indexed, or the page lies behind the last row.',
    ...OUT_OF_SERVICE,
  },
  async page(context, query) {
    const page = await blockPage(context, { mcBlockSeqno: query.seqno }, query)
    if (page.items.length === 0) throw notFound('blocks not found')
    return page
  },
})

const getTransactions = listRoute({
  path: '/api/v3/transactions',
  tag: 'transactions',
  summary: 'Transactions',
  description:
    'Filters are joined by AND, values of one list by OR. Order: `lt` in the direction of `sort` (with a time bound: `now`, then `lt`), ties by account ascending.',
  query: TransactionsQuery,
  reply: (rules) => v3Replies(rules).Transactions,
  rows: 'transactions',
  row: (rules) => v3Replies(rules).Transaction,
  fails: { ...BAD_QUERY, ...NO_MC_BLOCK, ...OUT_OF_SERVICE },
  page: listTransactions,
})

const getTransactionsByMasterchainBlock = listRoute({
  path: '/api/v3/transactionsByMasterchainBlock',
  tag: 'transactions',
  summary: 'Transactions of all blocks that a masterchain block commits',
  description: 'Order: `lt` in the direction of `sort`, ties by account ascending.',
  query: TransactionsByMasterchainBlockQuery,
  reply: (rules) => v3Replies(rules).Transactions,
  rows: 'transactions',
  row: (rules) => v3Replies(rules).Transaction,
  fails: { ...BAD_QUERY, ...NO_MC_BLOCK, ...OUT_OF_SERVICE },
  page: (context, { seqno, ...query }) => listTransactions(context, { ...query, mc_seqno: seqno }),
})

const getTransactionsByMessage = listRoute({
  path: '/api/v3/transactionsByMessage',
  tag: 'transactions',
  summary: 'Transactions that received or sent a message',
  description:
    'At least one of `msg_hash`, `body_hash`, `opcode`. Order: `lt` in the direction of `sort`, ties by account ascending.',
  query: TransactionsByMessageQuery,
  reply: (rules) => v3Replies(rules).Transactions,
  rows: 'transactions',
  row: (rules) => v3Replies(rules).Transaction,
  fails: { ...BAD_QUERY, ...OUT_OF_SERVICE },
  page: transactionsByMessage,
})

const getAdjacentTransactions = objectRoute({
  path: '/api/v3/adjacentTransactions',
  tag: 'transactions',
  summary: 'Neighbours of a transaction',
  description:
    'The transaction that sent its inbound message and those that received its outbound ones, in order of `lt`.',
  query: AdjacentTransactionsQuery,
  reply: (rules) => v3Replies(rules).Transactions,
  fails: { ...BAD_QUERY, 404: 'There are none, or the transaction is not indexed.', ...OUT_OF_SERVICE },
  handle: adjacentTransactions,
})

const getMessages = listRoute({
  path: '/api/v3/messages',
  tag: 'messages',
  summary: 'Messages',
  description:
    'Order: `created_lt` in the direction of `sort` (with a time bound: `created_at`), ties by hash. External inbound messages have neither: they come first in `desc`, last in `asc`, and any bound leaves them out.',
  query: MessagesQuery,
  reply: (rules) => v3Replies(rules).Messages,
  rows: 'messages',
  row: (rules) => v3Replies(rules).Message,
  fails: { ...BAD_QUERY, ...OUT_OF_SERVICE },
  page: listMessages,
})

/** Every endpoint of API v3: mounted, documented and tested from this list. */
export const V3_ROUTES: readonly Route[] = [
  getMasterchainInfo,
  getBlocks,
  getShardState,
  getBlockShards,
  getTransactions,
  getTransactionsByMasterchainBlock,
  getTransactionsByMessage,
  getAdjacentTransactions,
  getMessages,
  ...TRACE_ROUTES,
  ...ACCOUNT_ROUTES,
  ...ADDRESS_BOOK_ROUTES,
  ...DECODE_ROUTES,
  ...JETTON_ROUTES,
  ...NFT_ROUTES,
  ...CONTRACT_ROUTES,
]
