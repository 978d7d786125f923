import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import {
  all,
  beyond,
  beyondOrAt,
  type Condition,
  direction,
  hasTime,
  intersect,
  type LtRange,
  type Page,
  readPage,
  type Slice,
  type Sort,
  type SortedPageRequest,
  statement,
  type TimeRange,
  timeConditions,
} from '../idiom/index.ts'
import { BLOCK_COLUMNS, BLOCK_CURSOR, type BlockPosition, type BlockRow } from './block-rows.ts'
import { findBlocksOfSeqno } from './find-blocks.ts'
import { ltRangeOfTime } from './time-bounds.ts'

/** Joined by AND. */
export interface BlockFilter {
  readonly workchain?: number | undefined
  readonly shard?: bigint | undefined
  readonly seqno?: number | undefined
  readonly rootHash?: Buffer | undefined
  readonly fileHash?: Buffer | undefined
  readonly mcBlockSeqno?: number | undefined
  /** Both ends compare with start_lt. */
  readonly lt?: LtRange | undefined
  readonly time?: TimeRange | undefined
}

interface PlacedFilter extends BlockFilter {
  /** Only blocks of these shards. */
  readonly places?: readonly Pick<BlockRow, 'workchain' | 'shard'>[]
}

type BlockSlice = Slice<BlockPosition>

/**
 * Blocks in order `gen_utime <sort>, workchain, shard, seqno <sort>`. Index: primary key for one shard,
 * (mc_block_seqno) and the hash indexes for one block or batch, (start_lt) with a bound on it, else
 * (gen_utime, ...).
 */
export const listBlocks = (db: Db, given: BlockFilter, page: SortedPageRequest): Promise<Page<BlockRow>> =>
  readPage(page, { cursor: BLOCK_CURSOR }, async (slice) => {
    const filter = await withPlaces(db, given)
    return filter.lt && !namesFewBlocks(filter)
      ? readLtWindow(db, { ...filter, lt: filter.lt }, slice)
      : readBlocks(db, filter, slice)
  })

/** A seqno alone has no index: the shards that have it are looked up. */
async function withPlaces(db: Db, filter: BlockFilter): Promise<PlacedFilter> {
  const { workchain, shard, seqno } = filter
  if (seqno === undefined || (workchain !== undefined && shard !== undefined)) return filter
  return { ...filter, places: await findBlocksOfSeqno(db, { workchain, shard, seqno }) }
}

const namesFewBlocks = (filter: BlockFilter): boolean =>
  filter.seqno !== undefined ||
  filter.rootHash !== undefined ||
  filter.fileHash !== undefined ||
  filter.mcBlockSeqno !== undefined

/** Raw: an aggregate over a part of the index on start_lt. */
const FIRST_BY_LT = statement<{ readonly count: bigint; readonly reach: number | null }>(
  'time up to which the first blocks by start_lt reach',
  { count: 'int8', reach: 'int4' },
)

/**
 * start_lt and time nearly agree: the first blocks by start_lt give a time up to which enough blocks exist; a
 * proven range of lt then holds every block up to that time. Without it a search for old blocks would begin
 * at the newest one.
 */
async function readLtWindow(
  db: Db,
  filter: PlacedFilter & { readonly lt: LtRange },
  slice: BlockSlice,
): Promise<readonly BlockRow[]> {
  const needed = slice.limit + slice.offset
  const reach = slice.sort === 'asc' ? sql`max(x.gen_utime)` : sql`min(x.gen_utime)`
  const [first] = await FIRST_BY_LT.rows(
    db,
    sql`
    select count(*) as count, ${reach} as reach from (
      select b.gen_utime from blocks b where ${matching(filter, slice)}
      order by b.start_lt ${direction(slice.sort)} limit ${needed}
    ) x`,
  )
  if (!first || first.reach === null) return []
  if (Number(first.count) < needed) return readBlocks(db, filter, slice, BY_TIME_UNINDEXED)
  const time =
    slice.sort === 'asc' ? { ...filter.time, to: first.reach } : { ...filter.time, from: first.reach }
  const lt = intersect(filter.lt, await ltRangeOfTime(db, time))
  return readBlocks(db, { ...filter, time, lt }, slice, BY_TIME_UNINDEXED)
}

const BY_TIME = sql`b.gen_utime`
/** Of few blocks, which are sorted: in the order of its index those of another lt would be read first. */
const BY_TIME_UNINDEXED = sql`b.gen_utime + 0`

function readBlocks(
  db: Db,
  filter: PlacedFilter,
  slice: BlockSlice,
  byTime = BY_TIME,
): Promise<readonly BlockRow[]> {
  const blocks = db.selectFrom('blocks as b').select(BLOCK_COLUMNS).where(matching(filter, slice))
  // In one shard seqno and time have the same order, and only seqno has an index for it.
  const oneShard = isOneShard(filter) && !hasTime(filter.time ?? {}) && !filter.lt
  const ordered = oneShard
    ? blocks.orderBy('b.seqno', slice.sort)
    : blocks
        .orderBy(byTime, slice.sort)
        .orderBy('b.workchain')
        .orderBy('b.shard')
        .orderBy('b.seqno', slice.sort)
  return ordered.limit(slice.limit).offset(slice.offset).execute()
}

/** Conditions over the table `b`. */
function matching(filter: PlacedFilter, slice: BlockSlice): RawBuilder<boolean> {
  const conditions: Condition[] = timeConditions(sql`b.gen_utime`, filter.time ?? {})
  const equal = (column: RawBuilder<unknown>, value: unknown) => {
    if (value !== undefined) conditions.push(sql`${column} = ${value}`)
  }
  equal(sql`b.workchain`, filter.workchain)
  equal(sql`b.shard`, filter.shard)
  equal(sql`b.seqno`, filter.seqno)
  equal(sql`b.root_hash`, filter.rootHash)
  equal(sql`b.file_hash`, filter.fileHash)
  equal(sql`b.mc_block_seqno`, filter.mcBlockSeqno)
  if (filter.places) conditions.push(inPlaces(filter.places))
  if (filter.lt) conditions.push(sql`b.start_lt between ${filter.lt.from} and ${filter.lt.to}`)
  if (slice.after) conditions.push(afterBlock(slice.after, filter, slice.sort))
  return all(conditions)
}

const isOneShard = ({ workchain, shard }: BlockFilter): boolean =>
  workchain !== undefined && shard !== undefined

const inPlaces = (places: NonNullable<PlacedFilter['places']>): Condition =>
  places.length === 0
    ? sql`false`
    : sql`(${sql.join(
        places.map(({ workchain, shard }) => sql`(b.workchain = ${workchain} and b.shard = ${shard})`),
        sql` or `,
      )})`

function afterBlock(position: BlockPosition, filter: BlockFilter, sort: Sort): Condition {
  const later = beyond(sort)
  const { gen_utime: time, workchain, shard, seqno } = position
  if (isOneShard(filter)) return sql`b.seqno ${later} ${seqno}`
  return sql`b.gen_utime ${beyondOrAt(sort)} ${time} and (b.gen_utime ${later} ${time}
    or b.workchain > ${workchain} or (b.workchain = ${workchain}
      and (b.shard > ${shard} or (b.shard = ${shard} and b.seqno ${later} ${seqno}))))`
}
