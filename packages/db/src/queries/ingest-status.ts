import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** What ingest reports to other processes, besides what is indexed. */
export interface IngestStatus {
  /** Newest masterchain seqno offered by a source. */
  readonly head: number
  /** First masterchain seqno to be indexed; with retention the first one that it keeps. */
  readonly first: number
}

/**
 * Stores the status. Of several ingest processes the last first seqno wins, and the greater head, unless that
 * was not reported for a minute: a source may have named it without having it. `replacesHead`: so it was.
 * Returns whether this head is stored.
 */
export async function writeIngestStatus(
  db: Db,
  { head, first }: IngestStatus,
  { replacesHead = false }: { readonly replacesHead?: boolean } = {},
): Promise<boolean> {
  const wins = sql`(${replacesHead} or ${head} >= ingest_status.head_seqno
    or abs(extract(epoch from now() - ingest_status.reported_at)) > 60)`
  const { rows } = await sql<{ isStored: boolean }>`
    insert into ingest_status (id, head_seqno, first_seqno, reported_at) values (1, ${head}, ${first}, now())
    on conflict (id) do update set first_seqno = excluded.first_seqno,
      head_seqno = case when ${wins} then excluded.head_seqno else ingest_status.head_seqno end,
      reported_at = case when ${wins} then now() else ingest_status.reported_at end
    returning head_seqno = ${head} as "isStored"`.execute(db)
  return rows[0]!.isStored
}

/** The last report of ingest and its age; undefined before the first report. */
export async function readIngestStatus(
  db: Db,
): Promise<(IngestStatus & { readonly ageSeconds: number }) | undefined> {
  const { rows } = await sql<IngestStatus & { readonly ageSeconds: number }>`
    select head_seqno as head, greatest(first_seqno, retained_from) as first,
      extract(epoch from now() - reported_at)::float8 as "ageSeconds"
    from ingest_status`.execute(db)
  return rows[0]
}
