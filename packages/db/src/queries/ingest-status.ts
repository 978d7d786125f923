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
 * Stores the status. Of several ingest processes the greater head and the last first seqno win.
 * `replacesHead`: the stored head may be one that a source reported without having it.
 */
export async function writeIngestStatus(
  db: Db,
  { head, first }: IngestStatus,
  { replacesHead = false }: { readonly replacesHead?: boolean } = {},
): Promise<void> {
  await sql`
    insert into ingest_status (id, head_seqno, first_seqno, reported_at) values (1, ${head}, ${first}, now())
    on conflict (id) do update set head_seqno = greatest(excluded.head_seqno,
        case when not ${replacesHead} then ingest_status.head_seqno end),
      first_seqno = excluded.first_seqno, reported_at = now()`.execute(db)
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
