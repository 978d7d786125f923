import type { McBlockSeqno } from '@shardwalk/model'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { findHeadRange } from '../queries/progress.ts'
import { ofMasterchain } from '../rows/of-masterchain.ts'

/** What is kept: a number of masterchain blocks up to the newest one, or those of the seconds before it. */
export type RetentionRule = { readonly blocks: number } | { readonly seconds: number }

/**
 * A cut may leave nothing that is older than what is kept. If the oldest block that is left is within this
 * time of what the rule keeps, it still is the first one. Seconds.
 */
const MARGIN = 60

/** Masterchain blocks before the time that may have committed a shard block of a clock ahead of theirs. */
const LOOK_BACK = 32

/**
 * What an outage left missing is wanted from this many masterchain blocks before where its times, if blocks
 * came evenly, begin to be kept. If more is wanted, that shows when these are indexed.
 */
const BEFORE_GUESS = 1_000

/**
 * The first masterchain block that the rule keeps, or an earlier one if the blocks before it are missing;
 * undefined if nothing older is indexed: then everything that is missing is wanted. Counted from the newest
 * indexed block, so that nothing is dropped while the head does not move. Indexes: blocks_gen_utime, primary
 * key.
 */
export async function firstRetained(db: Db, rule: RetentionRule): Promise<McBlockSeqno | undefined> {
  const range = await findHeadRange(db)
  if (!range) return undefined
  if ('blocks' in rule) return Math.max(1, range.to - rule.blocks + 1)
  const { rows } = await sql<{ first: number | null }>`
    with kept as materialized (
      select gen_utime - ${rule.seconds} as since from blocks
      where ${sql.raw(ofMasterchain())} and seqno = ${range.to}),
    older as (
      select seqno, gen_utime, batch_max_utime >= (select since from kept) as has_later from blocks
      where ${sql.raw(ofMasterchain())} and gen_utime < (select since from kept)
      order by gen_utime desc, seqno desc limit ${LOOK_BACK}),
    hole as (
      select o.seqno as before, o.gen_utime as before_utime, b.seqno as after, b.gen_utime as after_utime
      from (select seqno, gen_utime from older order by seqno desc limit 1) o
      cross join lateral (
        select seqno, gen_utime from blocks
        where ${sql.raw(ofMasterchain())} and seqno > o.seqno order by seqno limit 1) b)
    select coalesce(
      (select min(seqno) filter (where has_later) from older),
      (select greatest(before + 1, after - ${BEFORE_GUESS} - ceil(
          (after - before)::float8 * (after_utime - since) / nullif(after_utime - before_utime, 0))::int)
        from hole, kept),
      (select s.retained_from from ingest_status s
        left join blocks b on ${sql.raw(ofMasterchain('b'))} and b.seqno = s.retained_from
        where b.gen_utime - (select since from kept) <= ${MARGIN} or not exists (
          select from indexed_ranges where s.retained_from between from_seqno and to_seqno))) as first
    `.execute(db)
  return rows[0]?.first ?? undefined
}
