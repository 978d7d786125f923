import type { Db } from '@shardwalk/db'

/** A range of masterchain blocks that are all indexed. */
export interface FollowedRange {
  readonly from: number
  readonly to: number
}

/**
 * The indexed range that contains a block, or the next one after it; undefined when there is none. Index:
 * indexed_ranges (to_seqno).
 */
export async function indexedRangeFrom(db: Db, seqno: number): Promise<FollowedRange | undefined> {
  const row = await db
    .selectFrom('indexed_ranges')
    .select(['from_seqno as from', 'to_seqno as to'])
    .where('to_seqno', '>=', seqno)
    .orderBy('to_seqno')
    .limit(1)
    .executeTakeFirst()
  return row
}
