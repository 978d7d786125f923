import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { KEEP_PLAN, statement } from '../idiom/index.ts'

/** Progress as of one snapshot of the database. */
export interface IndexedHead {
  /**
   * The contiguous range that ends at the newest indexed masterchain block; undefined when nothing is
   * indexed.
   */
  readonly range: { readonly from: number; readonly to: number } | undefined
  /**
   * The transactions visible to the snapshot; equal texts mean equal rows in every table. Of a standby also
   * the position in the log, because its snapshots do not name the transactions in progress.
   */
  readonly snapshot: string
  /** Undefined until a block is written. */
  readonly globalId: number | undefined
}

interface HeadRow {
  readonly from: number | null
  readonly to: number | null
  readonly snapshot: string
  readonly network: number | null
}

/** Raw: a single snapshot, with a kept plan. Index: indexed_ranges (to_seqno). */
const HEAD = statement<HeadRow>('indexed head', {
  from: 'int4',
  to: 'int4',
  snapshot: 'text',
  network: 'int4',
})

/** Reads everything in one statement. */
export async function readIndexedHead(db: Db): Promise<IndexedHead> {
  const [row] = await HEAD.rows(
    db,
    sql`
    ${KEEP_PLAN} select r.from_seqno as from, r.to_seqno as to, 
      pg_current_snapshot()::text || coalesce(pg_last_wal_replay_lsn()::text, '') as snapshot,
      (select global_id from network) as network
    from (values (1)) one
    left join lateral (
      select from_seqno, to_seqno from indexed_ranges order by to_seqno desc limit 1
    ) r on true`,
  )
  const { from, to, snapshot, network } = row!
  return {
    range: from === null || to === null ? undefined : { from, to },
    snapshot,
    globalId: network ?? undefined,
  }
}
