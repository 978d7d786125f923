import type { BlockRow } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import { shardFromSigned, shardPrefixLength } from '@shardwalk/model'
import { sql } from 'kysely'
import { ACCOUNT_UNINDEXED, accountRange, ofBlock } from './shard-range.ts'
import { direction, KEEP_PLAN } from './sql.ts'
import { afterPosition, type Slice } from './transaction-list.ts'
import type { TransactionRow } from './transaction-rows.ts'

/** Transactions of the given blocks in order `lt <sort>, account_id`. Index: transactions (lt), over the extents of the blocks. */
export async function transactionsOfBlocks(
  db: Db,
  blocks: readonly BlockRow[],
  slice: Slice,
): Promise<TransactionRow[]> {
  const busy = blocks.filter((block) => block.tx_count > 0)
  if (busy.length === 0) return []
  const ranges = busy.map((block) => accountRange(block.workchain, block.shard))
  const after = slice.after ? afterPosition(slice.after, 'lt', slice.sort) : sql`true`
  const { rows } = await sql<TransactionRow>`
    ${KEEP_PLAN} select t.*
    from unnest(
      ${busy.map((block) => block.seqno)}::int4[], ${busy.map((block) => block.start_lt)}::int8[],
      ${busy.map((block) => block.end_lt)}::int8[], ${ranges.map((range) => range.from)}::int8[],
      ${ranges.map((range) => range.to)}::int8[], ${busy.map(prefixLength)}::int2[]
    ) as k(seqno, start_lt, end_lt, from_id, to_id, shard_len)
    cross join lateral (${ofBlock(sql`${ACCOUNT_UNINDEXED} between k.from_id and k.to_id and t.shard_len = k.shard_len and ${after}`)}) t
    order by t.lt ${direction(slice.sort)}, t.account_id limit ${slice.limit} offset ${slice.offset}`.execute(
    db,
  )
  return rows
}

const prefixLength = (block: BlockRow): number => shardPrefixLength(shardFromSigned(block.shard))
