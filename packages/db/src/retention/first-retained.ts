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
 * The first masterchain block that the rule keeps, or an earlier one if the blocks before it are missing;
 * undefined if nothing older is indexed: then everything that is missing is wanted. Counted from the newest
 * indexed block, so that nothing is dropped while the head does not move. Index: blocks_gen_utime.
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
      select seqno, batch_max_utime >= (select since from kept) as has_later from blocks
      where ${sql.raw(ofMasterchain())} and gen_utime < (select since from kept)
      order by gen_utime desc, seqno desc limit ${LOOK_BACK})
    select coalesce(
      (select coalesce(min(seqno) filter (where has_later), max(seqno) + 1) from older),
      (select s.retained_from from ingest_status s
        join blocks b on ${sql.raw(ofMasterchain('b'))} and b.seqno = s.retained_from
        where b.gen_utime - (select since from kept) <= ${MARGIN})) as first`.execute(db)
  return rows[0]?.first ?? undefined
}
