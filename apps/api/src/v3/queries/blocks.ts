import type { BlockRow } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import { FULL_SHARD, MASTERCHAIN, shardToSigned } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import {
  all,
  beyond,
  beyondOrAt,
  type Condition,
  direction,
  intersect,
  type LtRange,
  type Sort,
  type TimeRange,
  timeConditions,
} from './sql.ts'
import { ltRangeOfTime } from './time-bounds.ts'

export const FULL = shardToSigned(FULL_SHARD)

const BLOCK_COLUMNS = sql.raw(
  `b.workchain, b.shard, b.seqno, b.mc_block_seqno, b.root_hash, b.file_hash, b.global_id, b.version, b.flags, b.vert_seqno,
   b.after_merge, b.before_split, b.after_split, b.want_merge, b.want_split, b.key_block, b.vert_seqno_incr, b.gen_utime,
   b.start_lt, b.end_lt, b.validator_list_hash_short, b.gen_catchain_seqno, b.min_ref_mc_seqno, b.prev_key_block_seqno,
   b.master_ref_seqno, b.rand_seed, b.created_by, b.tx_count, b.prev_seqno, b.prev_seqno_2`,
)

/** Ordering columns of a list of blocks. */
export interface BlockPosition {
  readonly gen_utime: number
  readonly workchain: number
  readonly shard: bigint
  readonly seqno: number
}

export interface BlockFilter {
  readonly workchain?: number | undefined
  readonly shard?: bigint | undefined
  readonly seqno?: number | undefined
  readonly rootHash?: Buffer | undefined
  readonly fileHash?: Buffer | undefined
  readonly mcBlockSeqno?: number | undefined
  /** Both ends compare with start_lt. */
  readonly lt?: LtRange | undefined
  readonly time: TimeRange
}

export interface BlockSlice {
  readonly sort: Sort
  readonly limit: number
  readonly offset: number
  readonly after?: BlockPosition | undefined
}

/**
 * Blocks in order `gen_utime <sort>, workchain, shard, seqno <sort>`. Index: primary key for one shard, (mc_block_seqno) and the
 * hash indexes for one block or batch, (start_lt) with a bound on it, else (gen_utime, …).
 */
export async function listBlocks(db: Db, filter: BlockFilter, slice: BlockSlice): Promise<BlockRow[]> {
  const select = (f: BlockFilter) => selectBlocks(db, f, slice)
  return filter.lt && !namesFewBlocks(filter) ? listByLtWindow(db, filter, slice, select) : select(filter)
}

const namesFewBlocks = (f: BlockFilter): boolean =>
  f.seqno !== undefined ||
  f.rootHash !== undefined ||
  f.fileHash !== undefined ||
  f.mcBlockSeqno !== undefined

/**
 * start_lt and time nearly agree: the first blocks by start_lt tell a time up to which enough blocks exist; a proven range of lt
 * then holds every block up to that time. Without it a bound on old blocks would be looked for from the newest one on.
 */
async function listByLtWindow(
  db: Db,
  filter: BlockFilter,
  slice: BlockSlice,
  select: (filter: BlockFilter) => Promise<BlockRow[]>,
): Promise<BlockRow[]> {
  const needed = slice.limit + slice.offset
  const reach = slice.sort === 'asc' ? sql`max(x.gen_utime)` : sql`min(x.gen_utime)`
  const { rows } = await sql<{ count: bigint; reach: number | null }>`
    select count(*) as count, ${reach} as reach from (
      select b.gen_utime from blocks b where ${all(conditionsOf(filter, slice))}
      order by b.start_lt ${direction(slice.sort)} limit ${needed}
    ) x`.execute(db)
  const row = rows[0]
  if (!row || row.reach === null) return []
  if (Number(row.count) < needed) return select(filter)
  const time = slice.sort === 'asc' ? { ...filter.time, to: row.reach } : { ...filter.time, from: row.reach }
  return select({ ...filter, time, lt: intersect(filter.lt!, await ltRangeOfTime(db, time)) })
}

async function selectBlocks(db: Db, filter: BlockFilter, slice: BlockSlice): Promise<BlockRow[]> {
  const dir = direction(slice.sort)
  // In one shard seqno and time have the same order, and only seqno has an index for it.
  const oneShard =
    filter.shard !== undefined && filter.time.from === undefined && filter.time.to === undefined && !filter.lt
  const order = oneShard ? sql`b.seqno ${dir}` : sql`b.gen_utime ${dir}, b.workchain, b.shard, b.seqno ${dir}`
  const { rows } = await sql<BlockRow>`
    select ${BLOCK_COLUMNS} from blocks b where ${all(conditionsOf(filter, slice))}
    order by ${order} limit ${slice.limit} offset ${slice.offset}`.execute(db)
  return rows
}

function conditionsOf(filter: BlockFilter, slice: BlockSlice): Condition[] {
  const conditions: Condition[] = timeConditions(sql`b.gen_utime`, filter.time)
  const equal = (column: RawBuilder<unknown>, value: unknown) => {
    if (value !== undefined) conditions.push(sql`${column} = ${value}`)
  }
  equal(sql`b.workchain`, filter.workchain)
  equal(sql`b.shard`, filter.shard)
  equal(sql`b.seqno`, filter.seqno)
  equal(sql`b.root_hash`, filter.rootHash)
  equal(sql`b.file_hash`, filter.fileHash)
  equal(sql`b.mc_block_seqno`, filter.mcBlockSeqno)
  if (filter.lt) conditions.push(sql`b.start_lt between ${filter.lt.from} and ${filter.lt.to}`)
  if (slice.after) conditions.push(afterBlock(slice.after, filter, slice.sort))
  return conditions
}

function afterBlock(p: BlockPosition, filter: BlockFilter, sort: Sort): Condition {
  if (filter.shard !== undefined) return sql`b.seqno ${beyond(sort)} ${p.seqno}`
  const later = beyond(sort)
  return sql`b.gen_utime ${beyondOrAt(sort)} ${p.gen_utime} and (b.gen_utime ${later} ${p.gen_utime}
    or b.workchain > ${p.workchain} or (b.workchain = ${p.workchain}
      and (b.shard > ${p.shard} or (b.shard = ${p.shard} and b.seqno ${later} ${p.seqno}))))`
}

/** A masterchain block and the extent of what it commits; undefined when it is not indexed. Index: primary key. */
export async function findBatch(db: Db, mcBlockSeqno: number): Promise<{ readonly lt: LtRange } | undefined> {
  const { rows } = await sql<{ batch_start_lt: bigint; batch_end_lt: bigint }>`
    select batch_start_lt, batch_end_lt from blocks
    where workchain = ${MASTERCHAIN} and shard = ${FULL} and seqno = ${mcBlockSeqno}`.execute(db)
  return rows[0] && { lt: { from: rows[0].batch_start_lt, to: rows[0].batch_end_lt } }
}

/** Extent of one block; undefined when it is not indexed. Index: primary key. */
export async function findBlockExtent(
  db: Db,
  block: { readonly workchain: number; readonly shard: bigint; readonly seqno: number },
): Promise<LtRange | undefined> {
  const { rows } = await sql<{ start_lt: bigint; end_lt: bigint }>`
    select start_lt, end_lt from blocks
    where workchain = ${block.workchain} and shard = ${block.shard} and seqno = ${block.seqno}`.execute(db)
  return rows[0] && { from: rows[0].start_lt, to: rows[0].end_lt }
}

/** The shard configuration as of a masterchain block: its blocks in order of workchain, shard, seqno. Index: primary keys. */
export async function blocksOfShardState(db: Db, mcBlockSeqno: number): Promise<BlockRow[]> {
  const { rows } = await sql<BlockRow>`
    select ${BLOCK_COLUMNS} from shard_state s
    join blocks b on b.workchain = s.workchain and b.shard = s.shard and b.seqno = s.seqno
    where s.mc_seqno = ${mcBlockSeqno} order by b.workchain, b.shard, b.seqno`.execute(db)
  return rows
}

/** Masterchain blocks by seqno; those that are not indexed are left out. Index: primary key. */
export async function masterchainBlocks(db: Db, seqnos: readonly number[]): Promise<BlockRow[]> {
  const { rows } = await sql<BlockRow>`
    select ${BLOCK_COLUMNS} from blocks b
    where b.workchain = ${MASTERCHAIN} and b.shard = ${FULL} and b.seqno = any(${seqnos}::int4[])`.execute(db)
  return rows
}

/** The contiguous range of masterchain seqnos that ends at the newest indexed block. */
export async function newestRange(
  db: Db,
): Promise<{ readonly from: number; readonly to: number } | undefined> {
  const { rows } = await sql<{ from_seqno: number; to_seqno: number }>`
    select from_seqno, to_seqno from indexed_ranges order by to_seqno desc limit 1`.execute(db)
  return rows[0] && { from: rows[0].from_seqno, to: rows[0].to_seqno }
}
