import { MASTERCHAIN, type McBlockSeqno } from '@shardwalk/model'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { findHeadRange } from '../queries/progress.ts'

/** What is kept: masterchain blocks up to the newest one, or those of so many seconds before it. */
export type RetentionRule = { readonly blocks: number } | { readonly seconds: number }

/**
 * The first masterchain block that the rule keeps; undefined while that is not known: nothing is indexed, or
 * the blocks around the time in question are not. Counted from the newest indexed block, so that nothing goes
 * while the head stands. Index: blocks_gen_utime.
 */
export async function firstRetained(db: Db, rule: RetentionRule): Promise<McBlockSeqno | undefined> {
  const range = await findHeadRange(db)
  if (!range) return undefined
  if ('blocks' in rule) return Math.max(1, range.to - rule.blocks + 1)
  const { rows } = await sql<{ seqno: number }>`
    select seqno from blocks where workchain = ${MASTERCHAIN} and gen_utime >= (
      select gen_utime - ${rule.seconds} from blocks where workchain = ${MASTERCHAIN} and seqno = ${range.to})
    order by gen_utime, seqno limit 1`.execute(db)
  const first = rows[0]?.seqno
  return first !== undefined && first > range.from && first <= range.to ? first : undefined
}
