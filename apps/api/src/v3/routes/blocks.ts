import {
  BlockReply,
  BlockShardsQuery,
  BlocksQuery,
  MasterchainInfoQuery,
  requireWholeBlock,
  ShardStateQuery,
  toBlockReply,
  v3Replies,
} from '@shardwalk/api-schema'
import {
  type BlockFilter,
  blocksOfShardState,
  listBlocks,
  listTransactionsOfBlocks,
  type SortedPageRequest,
} from '@shardwalk/queries'
import { type Page, renderLazily, renderTransactionPage } from '@shardwalk/replies'
import { notFound } from '../../http/errors.ts'
import { listRoute, objectRoute, type RequestContext, type Route } from '../../http/route.ts'
import { ltBounds, timeBounds } from './bounds.ts'
import { BAD_QUERY, OUT_OF_SERVICE } from './fails.ts'

const getMasterchainInfo = objectRoute({
  path: '/api/v3/masterchainInfo',
  tag: 'Blockchain Data',
  summary: 'First and last indexed masterchain block',
  description: 'The ends of the contiguous range that ends at the newest indexed block.',
  query: MasterchainInfoQuery,
  reply: (rules) => v3Replies(rules).MasterchainInfo,
  fails: { ...BAD_QUERY, 404: 'Nothing is indexed yet.', ...OUT_OF_SERVICE },
  async handle({ head, settings }) {
    const ends = await head.findEnds(settings.timeoutMs)
    if (!ends) throw notFound('no blocks are indexed yet')
    return `{"last":${toBlockReply(ends.last)},"first":${toBlockReply(ends.first)}}`
  },
})

const getBlocks = listRoute({
  path: '/api/v3/blocks',
  tag: 'Blockchain Data',
  summary: 'Blocks',
  description:
    'Order: `gen_utime` in the direction of `sort`, then `workchain`, `shard`, then `seqno` in ' +
    'the direction of `sort`.',
  query: BlocksQuery,
  reply: (rules) => v3Replies(rules).Blocks,
  rows: 'blocks',
  row: () => BlockReply,
  fails: { ...BAD_QUERY, ...OUT_OF_SERVICE },
  page(context, query) {
    if (context.rules.blockFilter === 'reject') requireWholeBlock(query)
    return blockPage(context, toFilter(query), query)
  },
})

const getShardState = listRoute({
  path: '/api/v3/masterchainBlockShardState',
  operationId: 'api_v3_get_masterchainBlockShardState',
  tag: 'Blockchain Data',
  summary: 'State of all shards as of a masterchain block',
  description:
    'The newest block of every shard that the masterchain block commits or knows, and that block itself, ' +
    'in order of `workchain`, `shard`, `seqno`. With the standard profile also the transactions of those ' +
    'blocks in ascending order of `lt`; `limit`, `offset` and `cursor` count these.',
  query: ShardStateQuery,
  reply: (rules) => v3Replies(rules).ShardState,
  rows: (rules) => (rules.shardState === 'blocks' ? 'blocks' : 'transactions'),
  row: (rules) => (rules.shardState === 'blocks' ? BlockReply : v3Replies(rules).Transaction),
  unused: (rules) => (rules.shardState === 'blocks' ? ['limit', 'offset', 'cursor'] : []),
  fails: { ...BAD_QUERY, 404: 'No block of that shard state is indexed.', ...OUT_OF_SERVICE },
  page: shardStatePage,
})

const getBlockShards = listRoute({
  path: '/api/v3/masterchainBlockShards',
  operationId: 'api_v3_get_masterchainBlockShards',
  tag: 'Blockchain Data',
  summary: 'Blocks that a masterchain block commits',
  description:
    'New blocks since the previous masterchain block, the masterchain block included. Order as ' +
    '`/api/v3/blocks`.',
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
    const { rows, next } = await listBlocks(context.db, { mcBlockSeqno: query.seqno }, query)
    if (rows.length === 0) throw notFound('blocks not found')
    return { items: renderLazily(rows, toBlockReply), next }
  },
})

export const BLOCK_ROUTES: readonly Route[] = [getMasterchainInfo, getBlocks, getShardState, getBlockShards]

const toFilter = (query: BlocksQuery): BlockFilter => ({
  workchain: query.workchain,
  shard: query.shard,
  seqno: query.seqno,
  rootHash: query.root_hash,
  fileHash: query.file_hash,
  mcBlockSeqno: query.mc_seqno,
  lt: ltBounds(query),
  time: timeBounds(query),
})

async function blockPage(
  { db }: RequestContext,
  filter: BlockFilter,
  page: SortedPageRequest,
): Promise<Page> {
  const { rows, next } = await listBlocks(db, filter, page)
  return { items: renderLazily(rows, toBlockReply), next }
}

/** The standard profile lists the transactions of the blocks, ordered by lt, and the blocks alongside. */
async function shardStatePage(context: RequestContext, query: ShardStateQuery): Promise<Page> {
  const rows = await blocksOfShardState(context.db, query.seqno)
  if (rows.length === 0) throw notFound('blocks not found')
  const blocks = rows.map(toBlockReply)
  if (context.rules.shardState === 'blocks') return { items: blocks }
  const found = await listTransactionsOfBlocks(context.db, rows, { ...query, sort: 'asc' })
  const { fields, ...page } = renderTransactionPage(context, found)
  return { ...page, fields: async () => ({ ...(await fields()), blocks: `[${blocks.join(',')}]` }) }
}
