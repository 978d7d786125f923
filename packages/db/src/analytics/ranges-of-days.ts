import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { ofMasterchain } from '../rows/of-masterchain.ts'

/** Masterchain blocks, both included. */
export interface SeqnoRange {
  readonly from: number
  readonly to: number
}

/** A day (UTC) and the masterchain blocks with a time in it. */
export interface DayRange extends SeqnoRange {
  /** `2026-11-20`. */
  readonly day: string
  /** The first and the last block of the day are in the range. */
  readonly complete: boolean
}

/** The days of a range of indexed blocks. */
export async function daysOf(db: Db, range: SeqnoRange): Promise<readonly DayRange[]> {
  const { rows } = await sql<{ day: string; from: number; to: number; complete: boolean }>`
    select day, "from", "to",
      exists (select from blocks b where ${sql.raw(ofMasterchain('b'))} and b.seqno = "to" + 1
          and ((to_timestamp(b.gen_utime) at time zone 'UTC')::date)::text > day)
        and ("from" = 1 or exists (
          select from blocks b where ${sql.raw(ofMasterchain('b'))} and b.seqno = "from" - 1
            and ((to_timestamp(b.gen_utime) at time zone 'UTC')::date)::text < day)) as complete
    from (
      select ((to_timestamp(gen_utime) at time zone 'UTC')::date)::text as day,
        min(seqno) as "from", max(seqno) as "to"
      from blocks where ${sql.raw(ofMasterchain())} and seqno between ${range.from} and ${range.to} group by 1
    ) d order by day
  `.execute(db)
  return rows
}

/** The first masterchain block at or after a time; undefined if none is indexed. */
export async function firstSeqnoFrom(db: Db, utime: number): Promise<number | undefined> {
  const { rows } = await sql<{ seqno: number }>`
    select seqno from blocks where ${sql.raw(ofMasterchain())} and gen_utime >= ${utime}
    order by gen_utime, seqno limit 1
  `.execute(db)
  return rows[0]?.seqno
}

/** Root hashes of masterchain blocks, base64: they tie files to the chain. */
export async function rootHashes(db: Db, seqnos: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ seqno: number; hash: string }>`
    select seqno, encode(root_hash, 'base64') as hash from blocks
    where ${sql.raw(ofMasterchain())} and seqno = any (${seqnos}::int[])
  `.execute(db)
  return new Map(rows.map(({ seqno, hash }) => [seqno, hash]))
}
