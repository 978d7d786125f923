import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import type { BlockRow } from '../blocks/index.ts'
import {
  all,
  type Condition,
  direction,
  heldRows,
  isEmpty,
  KEEP_PLAN,
  type Sort,
  statement,
  tableColumns,
  timeConditions,
} from '../idiom/index.ts'
import { inShard, ofBlock } from './shard-range.ts'
import {
  TRANSACTION_TYPES,
  type TransactionOrder,
  type TransactionRow,
  type TransactionSlice,
} from './transaction-rows.ts'
import { afterPosition, notBefore, type TransactionScan } from './transaction-scan.ts'

const BLOCKS_AT_ONCE = 256

type BlockExtent = Pick<BlockRow, 'seqno' | 'start_lt' | 'end_lt' | 'tx_count'>

/**
 * Transactions of one shard. Its blocks are read by seqno, which is also the order of lt and time, until they
 * hold enough transactions. A scan by lt would pass over the transactions of all other shards and would not
 * find a shard that was split long ago. Index: blocks (primary key), transactions (lt).
 */
export async function walkShard(
  db: Db,
  {
    scan,
    ...others
  }: {
    readonly workchain: number
    readonly shard: bigint
    readonly scan: TransactionScan
    readonly order: TransactionOrder
  },
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  const { after, sort } = slice
  const input = { ...others, scan: after ? { ...scan, lt: notBefore(scan.lt, after, sort) } : scan }
  if (isEmpty(input.scan.lt)) return []
  const needed = heldRows(slice)
  const found: TransactionRow[] = []
  let passed = 0
  let next = await firstSeqno(db, input, slice.sort)
  while (next !== undefined && passed < needed) {
    const blocks: BlockExtent[] = await blocksFrom(db, input, next, slice.sort)
    const wanted = enough(blocks, needed - passed)
    const rows = await transactionsOf(db, wanted, input, slice)
    for (const row of rows.slice(Math.max(0, slice.offset - passed))) found.push(row)
    passed += rows.length
    const last = wanted.at(-1)
    next = last && (slice.sort === 'asc' ? last.seqno + 1 : last.seqno - 1)
  }
  return found.slice(0, slice.limit)
}

type Shard = { readonly workchain: number; readonly shard: bigint }

const ofShard = ({ workchain, shard }: Shard): Condition =>
  sql`b.workchain = ${workchain} and b.shard = ${shard}`

/** Raw: a binary search in one round trip, with a kept plan. Index: primary key of blocks. */
const FIRST_SEQNO = statement<{ readonly low: number | null }>('first block of a shard in a range of lt', {
  low: 'int4',
})

/**
 * First block of the walk: the one nearest to the bound on lt, found by binary search over seqnos, which are
 * in the order of lt. Seqnos of a shard have gaps where it was split or merged; a gap is treated as the block
 * before it.
 */
async function firstSeqno(
  db: Db,
  input: Shard & { readonly scan: TransactionScan },
  sort: Sort,
): Promise<number | undefined> {
  const { from, to } = input.scan.lt
  const step =
    sort === 'asc'
      ? sql`case when n.end_lt >= ${from} then x.low else x.middle + 1 end,
        case when n.end_lt >= ${from} then x.middle else x.high end`
      : sql`case when n.start_lt > ${to} then x.low else x.middle end,
        case when n.start_lt > ${to} then x.middle - 1 else x.high end`
  const middle = sort === 'asc' ? sql`low + (high - low) / 2` : sql`low + (high - low + 1) / 2`
  const [start] = await FIRST_SEQNO.rows(
    db,
    sql`
    ${KEEP_PLAN} with recursive x(low, high) as (
      select min(b.seqno), max(b.seqno) from blocks b where ${ofShard(input)}
      union all
      select ${step} from (select low, high, ${middle} as middle from x where low < high) x
      left join lateral (
        select b.start_lt, b.end_lt from blocks b where ${ofShard(input)} and b.seqno <= x.middle
          order by b.seqno desc limit 1
      ) n on true
    )
    select low from x where low = high`,
  )
  return start?.low ?? undefined
}

/** Raw: a kept plan. Index: primary key of blocks. */
const EXTENTS = statement<BlockExtent>(
  'extents of blocks of a shard',
  tableColumns('blocks', 'seqno', 'start_lt', 'end_lt', 'tx_count'),
)

async function blocksFrom(
  db: Db,
  input: Shard & { readonly scan: TransactionScan },
  seqno: number,
  sort: Sort,
): Promise<BlockExtent[]> {
  const { from, to } = input.scan.lt
  const bounds =
    sort === 'asc'
      ? sql`b.seqno >= ${seqno} and b.start_lt <= ${to}`
      : sql`b.seqno <= ${seqno} and b.end_lt >= ${from}`
  return EXTENTS.rows(
    db,
    sql`
    ${KEEP_PLAN} select b.seqno, b.start_lt, b.end_lt, b.tx_count from blocks b
      where ${ofShard(input)} and ${bounds}
    order by b.seqno ${direction(sort)} limit ${BLOCKS_AT_ONCE}`,
  )
}

/** The first blocks that together hold the needed number of transactions. */
function enough(blocks: readonly BlockExtent[], needed: number): readonly BlockExtent[] {
  let count = 0
  const end = blocks.findIndex((block) => (count += block.tx_count) >= needed)
  return end < 0 ? blocks : blocks.slice(0, end + 1)
}

/** Raw: one scan along the index on lt per block, with a kept plan. */
const OF_EXTENTS = statement<TransactionRow>('transactions of blocks of one shard', TRANSACTION_TYPES)

async function transactionsOf(
  db: Db,
  blocks: readonly BlockExtent[],
  input: Shard & { readonly scan: TransactionScan; readonly order: TransactionOrder },
  { sort, after }: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  const busy = blocks.filter((block) => block.tx_count > 0)
  if (busy.length === 0) return []
  const { scan } = input
  const conditions = all([
    sql`t.lt between ${scan.lt.from} and ${scan.lt.to}`,
    ...inShard(input.workchain, input.shard),
    ...timeConditions(sql`t.now`, scan.time),
    ...scan.conditions,
    ...(after ? [afterPosition(after, input.order, sort)] : []),
  ])
  return OF_EXTENTS.rows(
    db,
    sql`
    ${KEEP_PLAN} select t.*
    from unnest(${busy.map((b) => b.seqno)}::int4[], ${busy.map((b) => b.start_lt)}::int8[],
      ${busy.map((b) => b.end_lt)}::int8[])
      as k(seqno, start_lt, end_lt)
    cross join lateral (${ofBlock(conditions, busy)}) t
    order by t.lt ${direction(sort)}, t.account_id`,
  )
}
