import { sql } from 'kysely'
import type { Db } from '../database.ts'

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
      exists (select from blocks b where b.workchain = -1 and b.seqno = "to" + 1
          and ((to_timestamp(b.gen_utime) at time zone 'UTC')::date)::text > day)
        and ("from" = 1 or exists (select from blocks b where b.workchain = -1 and b.seqno = "from" - 1
          and ((to_timestamp(b.gen_utime) at time zone 'UTC')::date)::text < day)) as complete
    from (
      select ((to_timestamp(gen_utime) at time zone 'UTC')::date)::text as day,
        min(seqno) as "from", max(seqno) as "to"
      from blocks where workchain = -1 and seqno between ${range.from} and ${range.to} group by 1
    ) d order by day
  `.execute(db)
  return rows
}

/** The first masterchain block at or after a time; undefined if none is indexed. */
export async function firstSeqnoFrom(db: Db, utime: number): Promise<number | undefined> {
  const { rows } = await sql<{ seqno: number | null }>`
    select min(seqno) as seqno from blocks where workchain = -1 and gen_utime >= ${utime}
  `.execute(db)
  return rows[0]?.seqno ?? undefined
}

/** Root hashes of masterchain blocks, base64: they tie files to the chain. */
export async function rootHashes(db: Db, seqnos: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ seqno: number; hash: string }>`
    select seqno, encode(root_hash, 'base64') as hash from blocks
    where workchain = -1 and seqno = any (${seqnos}::int[])
  `.execute(db)
  return new Map(rows.map(({ seqno, hash }) => [seqno, hash]))
}
