import { missingRanges, type SeqnoRange } from '@shardwalk/pipeline'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { estimatedRows } from '../queries/estimated-rows.ts'
import { listIndexedRanges } from '../queries/progress.ts'

/** What `WATCH` names, and what of it is incomplete. */
export interface WatchState {
  /** What is watched; empty: everything. */
  readonly subjects: readonly string[]
  /** What was added after these blocks were indexed. */
  readonly partial: readonly { readonly subject: string; readonly ranges: readonly SeqnoRange[] }[]
  /** Complete traces that are not decided yet, or an estimate above 10,000. */
  readonly undecided: number
}

/** What is watched, and how far its consequences have been applied. */
export async function readWatchState(db: Db): Promise<WatchState> {
  const watched = await db
    .selectFrom('watched')
    .select('subject')
    .where('is_current', '=', true)
    .orderBy('subject')
    .execute()
  const { rows } = await sql<{ subject: string; from: number; to: number }>`
    select p.subject, p.from_seqno as from, p.to_seqno as to from partial_ranges p
    where p.subject in (select subject from watched where is_current)
      or not exists (select from watched where is_current)
    order by p.subject, p.from_seqno`.execute(db)
  const count = await sql<{ rows: number }>`select ${estimatedRows('undecided_traces')} as rows`.execute(db)
  return {
    subjects: watched.map(({ subject }) => subject),
    partial: [...new Set(rows.map(({ subject }) => subject))].map((subject) => ({
      subject,
      ranges: rows.filter((row) => row.subject === subject).map(({ from, to }) => ({ from, to })),
    })),
    undecided: count.rows[0]!.rows,
  }
}

/** What needs no work: indexed ranges without those that lack what is watched now, ascending. */
export async function listCompleteRanges(db: Db): Promise<readonly SeqnoRange[]> {
  const indexed = await listIndexedRanges(db)
  const partial = await listPartialRanges(db)
  return partial.length === 0 ? indexed : indexed.flatMap((range) => missingRanges(range, partial))
}

/** Masterchain blocks that do not have everything that is watched, ascending, without overlaps. */
export async function listPartialRanges(db: Db): Promise<readonly SeqnoRange[]> {
  const { rows } = await sql<SeqnoRange>`
    select lower(r) as from, upper(r) - 1 as to
    from (select unnest(range_agg(int4range(from_seqno, to_seqno, '[]'))) as r from partial_ranges) p
    order by 1`.execute(db)
  return rows
}
