import { type BlockRow, type BlocksQuery, toBlockReply } from '@shardwalk/api-schema'
import { decodeCursor, encodeCursor } from '../http/cursor.ts'
import type { Page, RequestContext } from '../http/route.ts'
import { type BlockFilter, type BlockSlice, listBlocks } from './queries/blocks.ts'
import { ltRange, type Sort } from './queries/sql.ts'

interface Paging {
  readonly sort: Sort
  readonly limit: number
  readonly offset: number
  readonly cursor?: string | undefined
}

/** A page of blocks; one row more tells whether there is a next page. */
export async function blockPage(context: RequestContext, filter: BlockFilter, paging: Paging): Promise<Page> {
  const { sort, limit, offset, cursor } = paging
  const name = `block-${sort}`
  const slice: BlockSlice = {
    sort,
    limit: limit + 1,
    offset,
    after: cursor ? toPosition(decodeCursor(cursor, name, 4)) : undefined,
  }
  const rows = await listBlocks(context.db, filter, slice)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(toBlockReply),
    next: rows.length > limit && last ? encodeCursor(name, positionOf(last)) : undefined,
  }
}

const positionOf = (row: BlockRow) => [row.gen_utime, row.workchain, row.shard, row.seqno]

const toPosition = ([genUtime, workchain, shard, seqno]: readonly bigint[]) => ({
  gen_utime: Number(BigInt.asIntN(32, genUtime!)),
  workchain: Number(BigInt.asIntN(32, workchain!)),
  shard: BigInt.asIntN(64, shard!),
  seqno: Number(BigInt.asIntN(32, seqno!)),
})

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
