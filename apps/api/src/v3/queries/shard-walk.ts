import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { inShard } from './shard-range.ts'
import { all, type Condition, direction, isEmpty, KEEP_PLAN, type Sort, timeConditions } from './sql.ts'
import { afterPosition, type Slice, type TransactionScan } from './transaction-list.ts'
import { TRANSACTION_COLUMNS, type TransactionOrder, type TransactionRow } from './transaction-rows.ts'

const BLOCKS_AT_ONCE = 256

interface BlockExtent {
  readonly seqno: number
  readonly start_lt: bigint
  readonly end_lt: bigint
  readonly tx_count: number
}

/**
 * Transactions of one shard: its blocks are walked by seqno, which is the order of lt and of time, until they hold enough. A scan
 * by lt would meet the transactions of all other shards, and a shard that was split long ago would never be found.
 * Index: blocks (primary key), transactions (lt).
 */
export async function walkShard(
  db: Db,
  input: {
    readonly workchain: number
    readonly shard: bigint
    readonly scan: TransactionScan
    readonly order: TransactionOrder
  },
  slice: Slice,
): Promise<TransactionRow[]> {
  if (isEmpty(input.scan.lt)) return []
  const needed = slice.offset + slice.limit
  const found: TransactionRow[] = []
  let next = await firstSeqno(db, input, slice.sort)
  while (next !== undefined && found.length < needed) {
    const blocks: BlockExtent[] = await blocksFrom(db, input, next, slice.sort)
    const wanted = enough(blocks, needed - found.length)
    found.push(...(await transactionsOf(db, wanted, input, slice)))
    const last = wanted.at(-1)
    next = last && (slice.sort === 'asc' ? last.seqno + 1 : last.seqno - 1)
  }
  return found.slice(slice.offset, needed)
}

type Shard = { readonly workchain: number; readonly shard: bigint }

const ofShard = ({ workchain, shard }: Shard): Condition => sql`b.workchain = ${workchain} and b.shard = ${shard}`

/** Where the walk begins: the block nearest to the bound on lt, found by bisection over seqnos, which are in the order of lt. */
async function firstSeqno(
  db: Db,
  input: Shard & { readonly scan: TransactionScan },
  sort: Sort,
): Promise<number | undefined> {
  const { rows } = await sql<{ least: number | null; greatest: number | null }>`
    ${KEEP_PLAN} select min(b.seqno) as least, max(b.seqno) as greatest from blocks b where ${ofShard(input)}`.execute(
    db,
  )
  const { least, greatest } = rows[0] ?? { least: null, greatest: null }
  if (least === null || greatest === null) return undefined
  const { from, to } = input.scan.lt
  let low = least
  let high = greatest
  while (low < high) {
    const middle = sort === 'asc' ? low + ((high - low) >> 1) : low + ((high - low + 1) >> 1)
    const block = await nearestBlock(db, input, middle)
    if (sort === 'asc') {
      if (block !== undefined && block.end_lt >= from) high = middle
      else low = middle + 1
    } else if (block === undefined || block.start_lt <= to) low = middle
    else high = middle - 1
  }
  return low
}

/** The block of the shard with the greatest seqno up to this one: seqnos of a shard have holes where it was split or merged. */
async function nearestBlock(db: Db, shard: Shard, seqno: number): Promise<BlockExtent | undefined> {
  const { rows } = await sql<BlockExtent>`
    ${KEEP_PLAN} select b.seqno, b.start_lt, b.end_lt, b.tx_count from blocks b
    where ${ofShard(shard)} and b.seqno <= ${seqno} order by b.seqno desc limit 1`.execute(db)
  return rows[0]
}

async function blocksFrom(
  db: Db,
  input: Shard & { readonly scan: TransactionScan },
  seqno: number,
  sort: Sort,
): Promise<BlockExtent[]> {
  const { from, to } = input.scan.lt
  const bounds =
    sort === 'asc' ? sql`b.seqno >= ${seqno} and b.start_lt <= ${to}` : sql`b.seqno <= ${seqno} and b.end_lt >= ${from}`
  const { rows } = await sql<BlockExtent>`
    ${KEEP_PLAN} select b.seqno, b.start_lt, b.end_lt, b.tx_count from blocks b where ${ofShard(input)} and ${bounds}
    order by b.seqno ${direction(sort)} limit ${BLOCKS_AT_ONCE}`.execute(db)
  return rows
}

/** The first blocks that hold as many transactions as are needed. */
function enough(blocks: readonly BlockExtent[], needed: number): readonly BlockExtent[] {
  let count = 0
  const end = blocks.findIndex((block) => (count += block.tx_count) >= needed)
  return end < 0 ? blocks : blocks.slice(0, end + 1)
}

async function transactionsOf(
  db: Db,
  blocks: readonly BlockExtent[],
  input: Shard & { readonly scan: TransactionScan; readonly order: TransactionOrder },
  { sort, after }: Slice,
): Promise<TransactionRow[]> {
  const busy = blocks.filter((block) => block.tx_count > 0)
  if (busy.length === 0) return []
  const { scan } = input
  const conditions = all([
    sql`t.lt between greatest(k.start_lt, ${scan.lt.from}::int8) and least(k.end_lt, ${scan.lt.to}::int8)`,
    sql`t.block_seqno = k.seqno`,
    ...inShard(input.workchain, input.shard),
    ...timeConditions(sql`t.now`, scan.time),
    ...scan.conditions,
    ...(after ? [afterPosition(after, input.order, sort)] : []),
  ])
  const { rows } = await sql<TransactionRow>`
    ${KEEP_PLAN} select ${TRANSACTION_COLUMNS}
    from unnest(${busy.map((b) => b.seqno)}::int4[], ${busy.map((b) => b.start_lt)}::int8[], ${busy.map((b) => b.end_lt)}::int8[])
      as k(seqno, start_lt, end_lt)
    join transactions t on ${conditions}
    order by t.lt ${direction(sort)}, t.account_id`.execute(db)
  return rows
}
