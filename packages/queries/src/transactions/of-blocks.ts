import type { Db } from '@shardwalk/db'
import { shardFromSigned, shardPrefixLength } from '@shardwalk/model'
import { sql } from 'kysely'
import type { BlockRow } from '../blocks/index.ts'
import {
  direction,
  KEEP_PLAN,
  type Page,
  readPage,
  type SortedPageRequest,
  statement,
} from '../idiom/index.ts'
import { ACCOUNT_UNINDEXED, accountRange, ofBlock, ofWorkchain } from './shard-range.ts'
import {
  TRANSACTION_CURSOR,
  TRANSACTION_TYPES,
  type TransactionRow,
  type TransactionSlice,
} from './transaction-rows.ts'
import { afterPosition } from './transaction-scan.ts'

type Block = Pick<BlockRow, 'workchain' | 'shard' | 'seqno' | 'start_lt' | 'end_lt' | 'tx_count'>

/**
 * Transactions of the given blocks, ordered by `lt <sort>, account_id`. Index: transactions (lt), over their
 * ranges.
 */
export const listTransactionsOfBlocks = (
  db: Db,
  blocks: readonly Block[],
  page: SortedPageRequest,
): Promise<Page<TransactionRow>> =>
  readPage(page, { cursor: TRANSACTION_CURSOR, by: 'lt' }, (slice) => readOfBlocks(db, blocks, slice))

/** Raw: one scan along the index on lt per block, with a kept plan. */
const OF_BLOCKS = statement<TransactionRow>('transactions of given blocks', TRANSACTION_TYPES)

async function readOfBlocks(
  db: Db,
  blocks: readonly Block[],
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  const busy = blocks.filter((block) => block.tx_count > 0)
  if (busy.length === 0) return []
  const ranges = busy.map((block) => accountRange(block.workchain, block.shard))
  const after = slice.after ? afterPosition(slice.after, 'lt', slice.sort) : sql`true`
  const ofShard = sql`${ACCOUNT_UNINDEXED} between k.from_id and k.to_id and t.shard_len = k.shard_len
    and ${ofWorkchain(sql`k.workchain`)} and ${after}`
  return OF_BLOCKS.rows(
    db,
    sql`
    ${KEEP_PLAN} select t.*
    from unnest(
      ${busy.map((block) => block.seqno)}::int4[], ${busy.map((block) => block.start_lt)}::int8[],
      ${busy.map((block) => block.end_lt)}::int8[], ${ranges.map((range) => range.from)}::int8[],
      ${ranges.map((range) => range.to)}::int8[], ${busy.map(prefixLength)}::int2[],
      ${busy.map((block) => block.workchain)}::int4[]
    ) as k(seqno, start_lt, end_lt, from_id, to_id, shard_len, workchain)
    cross join lateral (${ofBlock(ofShard, busy)}) t
    order by t.lt ${direction(slice.sort)}, t.account_id limit ${slice.limit} offset ${slice.offset}`,
  )
}

const prefixLength = (block: Block): number => shardPrefixLength(shardFromSigned(block.shard))
