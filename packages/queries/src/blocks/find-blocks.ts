import type { Db } from '@shardwalk/db'
import { MASTERCHAIN } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import { KEEP_PLAN, type LtRange, statement, tableColumns } from '../idiom/index.ts'
import { BLOCK_COLUMN_NAMES, BLOCK_LIST, type BlockRow, WHOLE_WORKCHAIN } from './block-rows.ts'
import { MasterchainBlockNotIndexed } from './errors.ts'
import { SHARD_TOPS } from './shard-tops.ts'

/**
 * Range of lt covered by a masterchain block and the shard blocks it commits; undefined when it is not
 * indexed. Index: primary key.
 */
async function findBatchExtent(db: Db, mcBlockSeqno: number): Promise<LtRange | undefined> {
  const row = await db
    .selectFrom('blocks')
    .select(['batch_start_lt', 'batch_end_lt'])
    .where('workchain', '=', MASTERCHAIN)
    .where('shard', '=', WHOLE_WORKCHAIN)
    .where('seqno', '=', mcBlockSeqno)
    .executeTakeFirst()
  // Both are set for masterchain blocks.
  return row && { from: row.batch_start_lt!, to: row.batch_end_lt! }
}

/** Same as `findBatchExtent`, but throws `MasterchainBlockNotIndexed`. */
export async function requireBatchExtent(db: Db, mcBlockSeqno: number): Promise<LtRange> {
  const extent = await findBatchExtent(db, mcBlockSeqno)
  if (!extent) throw new MasterchainBlockNotIndexed(mcBlockSeqno)
  return extent
}

/** Range of lt of one block; undefined when it is not indexed. Index: primary key. */
export async function findBlockExtent(
  db: Db,
  { workchain, shard, seqno }: Pick<BlockRow, 'workchain' | 'shard' | 'seqno'>,
): Promise<LtRange | undefined> {
  const row = await db
    .selectFrom('blocks')
    .select(['start_lt', 'end_lt'])
    .where('workchain', '=', workchain)
    .where('shard', '=', shard)
    .where('seqno', '=', seqno)
    .executeTakeFirst()
  return row && { from: row.start_lt, to: row.end_lt }
}

type BlockPlace = Pick<BlockRow, 'workchain' | 'shard' | 'start_lt' | 'end_lt'>

/** Raw: a walk from shard to shard along the primary key, with a kept plan. */
const BLOCKS_OF_SEQNO = statement<BlockPlace>(
  'blocks of one seqno',
  tableColumns('blocks', 'workchain', 'shard', 'start_lt', 'end_lt'),
)

/**
 * Blocks of a seqno in whatever workchain and shard. Index: primary key, once for each shard: a join would
 * look for the seqno in all of it.
 */
export const findBlocksOfSeqno = (
  db: Db,
  { workchain, shard, seqno }: Partial<Pick<BlockRow, 'workchain' | 'shard'>> & { readonly seqno: number },
): Promise<BlockPlace[]> =>
  BLOCKS_OF_SEQNO.rows(
    db,
    sql`
    ${KEEP_PLAN} with recursive s(workchain, shard) as (
      (select workchain, shard from blocks order by workchain, shard limit 1)
      union all
      select n.workchain, n.shard from s cross join lateral (
        select b.workchain, b.shard from blocks b where (b.workchain, b.shard) > (s.workchain, s.shard)
        order by b.workchain, b.shard limit 1) n
    )
    select b.workchain, b.shard, b.start_lt, b.end_lt from s cross join lateral (
      select * from blocks x where x.workchain = s.workchain and x.shard = s.shard and x.seqno = ${seqno}
      offset 0) b
    where b.workchain = coalesce(${workchain ?? null}::int4, b.workchain)
      and b.shard = coalesce(${shard ?? null}::int8, b.shard)`,
  )

/** Raw: a walk from workchain to workchain along the primary key, with a kept plan. */
const WORKCHAINS = statement<Pick<BlockRow, 'workchain'>>('workchains', tableColumns('blocks', 'workchain'))

/** Workchains with indexed blocks. Index: primary key. */
export async function findWorkchains(db: Db): Promise<ReadonlySet<number>> {
  const rows = await WORKCHAINS.rows(
    db,
    sql`
    ${KEEP_PLAN} with recursive w(workchain) as (
      select min(workchain) from blocks
      union all
      select (select min(b.workchain) from blocks b where b.workchain > w.workchain) from w
      where w.workchain is not null
    )
    select workchain from w where workchain is not null`,
  )
  return new Set(rows.map(({ workchain }) => workchain))
}

/** Raw: the shards are an array. */
const BLOCKS_OF_SHARD_STATE = statement<BlockRow>(
  'blocks of a shard state',
  tableColumns('blocks', ...BLOCK_COLUMN_NAMES),
)

/**
 * Blocks of the shard configuration at a masterchain block, ordered by workchain, shard, seqno. Index:
 * primary key.
 */
export const blocksOfShardState = (db: Db, mcBlockSeqno: number): Promise<readonly BlockRow[]> =>
  BLOCKS_OF_SHARD_STATE.rows(
    db,
    sql`
    select ${BLOCK_LIST} from blocks m cross join lateral ${SHARD_TOPS} s
    join blocks b on b.workchain = s.workchain and b.shard = s.shard and b.seqno = s.seqno
    where m.workchain = ${sql.lit(MASTERCHAIN)} and m.shard = ${WHOLE_WORKCHAIN} and m.seqno = ${mcBlockSeqno}
    order by b.workchain, b.shard, b.seqno`,
  )

/** First and last block of the complete range that ends at the newest indexed masterchain block. */
export interface IndexedEnds {
  readonly first: BlockRow
  readonly last: BlockRow
}

/**
 * Raw: reads of several tables in one statement, with a kept plan, because every client that polls for the
 * head asks for it. A block in quarantine has no row.
 */
const INDEXED_ENDS = statement<BlockRow>('indexed ends', tableColumns('blocks', ...BLOCK_COLUMN_NAMES))

/**
 * Undefined when nothing is indexed. The complete range begins after the newest block or transaction in
 * quarantine; account states and versions there do not matter. Index: indexed_ranges (to_seqno),
 * quarantine_missing, primary key of blocks.
 */
export async function findIndexedEnds(db: Db): Promise<IndexedEnds | undefined> {
  const oneOf = (first: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`
    select ${BLOCK_LIST} from blocks b
    where b.workchain = ${sql.lit(MASTERCHAIN)} and b.shard = ${WHOLE_WORKCHAIN}
      and b.seqno between ${first} and (select last from range)
    order by b.seqno ${order} limit 1`
  const rows = await INDEXED_ENDS.rows(
    db,
    sql`
    ${KEEP_PLAN} with range as (
      select r.from_seqno as first, r.to_seqno as last, coalesce((
        select q.mc_seqno from quarantine q
        where q.kind in ('block', 'transaction') and q.mc_seqno <= r.to_seqno
        order by q.mc_seqno desc limit 1), 0) as incomplete
      from indexed_ranges r order by r.to_seqno desc limit 1
    )
    (${oneOf(sql`(select first from range)`, sql`desc`)})
    union all
    (${oneOf(sql`(select greatest(first, incomplete + 1) from range)`, sql`asc`)})`,
  )
  const [last, first = last] = rows.sort((a, b) => b.seqno - a.seqno)
  return last && first && { first, last }
}
