import { type BlocksQuery, toBlockReply } from '@shardwalk/api-schema'
import { type BlockFilter, listBlocks, ltRange, type SortedPageRequest } from '@shardwalk/queries'
import type { Page, RequestContext } from '../http/route.ts'

export async function blockPage(
  { db }: RequestContext,
  filter: BlockFilter,
  page: SortedPageRequest,
): Promise<Page> {
  const { rows, next } = await listBlocks(db, filter, page)
  return { items: rows.map(toBlockReply), next }
}

/** GET /blocks as a filter. */
export const blockFilter = (query: BlocksQuery): BlockFilter => ({
  workchain: query.workchain,
  shard: query.shard,
  seqno: query.seqno,
  rootHash: query.root_hash,
  fileHash: query.file_hash,
  mcBlockSeqno: query.mc_seqno,
  lt:
    query.start_lt === undefined && query.end_lt === undefined
      ? undefined
      : ltRange(query.start_lt, query.end_lt),
  time: { from: query.start_utime, to: query.end_utime },
})
