import { type ShardStateQuery, toBlockReply } from '@shardwalk/api-schema'
import { blocksOfShardState } from '@shardwalk/queries'
import { notFound } from '../http/errors.ts'
import type { Page, RequestContext } from '../http/route.ts'
import { transactionsOfBlocks } from './queries/transactions-of-blocks.ts'
import { transactionPage } from './transaction-page.ts'

/**
 * GET /masterchainBlockShardState: the newest block of every shard as of a masterchain block, that block included. The standard
 * profile lists the transactions of those blocks, in order of lt, and the blocks beside them.
 */
export async function shardStatePage(context: RequestContext, query: ShardStateQuery): Promise<Page> {
  const rows = await blocksOfShardState(context.db, query.seqno)
  if (rows.length === 0) throw notFound('blocks not found')
  const blocks = rows.map(toBlockReply)
  if (context.rules.shardState === 'blocks') return { items: blocks }
  const page = await transactionPage(context, { ...query, sort: 'asc', order: 'lt' }, (slice) =>
    transactionsOfBlocks(context.db, rows, slice),
  )
  return { ...page, fields: { ...page.fields, blocks: `[${blocks.join(',')}]` } }
}
