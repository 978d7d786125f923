import type { Db } from '@shardwalk/db'
import { MASTERCHAIN } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import { WHOLE_WORKCHAIN } from '../blocks/index.ts'
import { KEEP_PLAN, statement } from '../idiom/index.ts'

/** A masterchain block as the end of a history, and the indexed range around it. */
export interface PastBlock {
  readonly seqno: number
  readonly utime: number
  /** No transaction up to the block has a greater lt; some of later blocks have a smaller one. */
  readonly end_lt: bigint
  readonly from_seqno: number
  readonly to_seqno: number
}

const PAST_BLOCK = statement<PastBlock>('masterchain block in the past', {
  seqno: 'int4',
  utime: 'int4',
  end_lt: 'int8',
  from_seqno: 'int4',
  to_seqno: 'int4',
})

/** Undefined if it is not indexed. Index: primary keys. */
export const findPastBlock = async (db: Db, seqno: number): Promise<PastBlock | undefined> =>
  (await read(db, sql`select * from blocks b where ${MASTERCHAIN_BLOCK} and b.seqno = ${seqno}`))[0]

/**
 * The newest block not after a time; undefined if the time is before the first indexed block or in a gap.
 * Index: blocks (gen_utime).
 */
export async function findBlockOfTime(db: Db, utime: number): Promise<PastBlock | undefined> {
  const [found] = await read(
    db,
    sql`select * from blocks b where ${MASTERCHAIN_BLOCK} and b.gen_utime <= ${Math.min(utime, 2147483647)}
      order by b.gen_utime desc, b.seqno desc limit 1`,
  )
  if (!found || found.seqno < found.to_seqno) return found
  const later = await db
    .selectFrom('indexed_ranges')
    .select('from_seqno')
    .where('from_seqno', '>', found.to_seqno)
    .executeTakeFirst()
  return later ? undefined : found
}

const MASTERCHAIN_BLOCK = sql`b.workchain = ${sql.lit(MASTERCHAIN)} and b.shard = ${WHOLE_WORKCHAIN}`

const read = (db: Db, block: RawBuilder<unknown>): Promise<PastBlock[]> =>
  PAST_BLOCK.rows(
    db,
    sql`
    ${KEEP_PLAN} select b.seqno, b.gen_utime as utime, b.batch_end_lt as end_lt, r.from_seqno, r.to_seqno
    from (${block}) b
    join indexed_ranges r on b.seqno between r.from_seqno and r.to_seqno`,
  )

/** The block as the row `m` of a statement. */
export const pointOf = ({ seqno, end_lt, from_seqno, to_seqno }: PastBlock): RawBuilder<unknown> =>
  sql`(select ${seqno}::int as seqno, ${end_lt}::bigint as end_lt, ${from_seqno}::int as from_seqno,
    ${to_seqno}::int as to_seqno) m`
