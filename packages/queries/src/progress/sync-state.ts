import type { Db } from '@shardwalk/db'

/** What ingest reported, together with what is indexed. */
export interface SyncState {
  /** Newest masterchain seqno offered by a source. */
  readonly headSeqno: number
  /** First masterchain seqno to be indexed. */
  readonly firstSeqno: number
  /** The contiguous range that ends at the newest indexed block; undefined when nothing is indexed. */
  readonly range: { readonly from: number; readonly to: number } | undefined
}

/** Undefined until ingest has reported the head. */
export async function findSyncState(db: Db): Promise<SyncState | undefined> {
  const row = await db
    .selectFrom('ingest_status as s')
    .leftJoinLateral(
      (query) =>
        query
          .selectFrom('indexed_ranges')
          .select(['from_seqno', 'to_seqno'])
          .orderBy('to_seqno', 'desc')
          .limit(1)
          .as('r'),
      (join) => join.onTrue(),
    )
    .select(['s.head_seqno', 's.first_seqno', 's.retained_from', 'r.from_seqno', 'r.to_seqno'])
    .executeTakeFirst()
  if (!row) return undefined
  const { from_seqno: from, to_seqno: to } = row
  return {
    headSeqno: row.head_seqno,
    // Nothing before what retention keeps is wanted.
    firstSeqno: Math.max(row.first_seqno, row.retained_from ?? 0),
    range: from === null || to === null ? undefined : { from, to },
  }
}
