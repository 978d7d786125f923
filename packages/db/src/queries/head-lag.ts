import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { isHeadFollowed } from './head-followed.ts'

/** On a replica, a head reported longer ago is not being followed. Seconds. */
const REPORTED_SECONDS = 30

/**
 * Masterchain blocks by which the newest indexed block is behind the head; 0 if no process follows the head,
 * because then there is nothing to wait for.
 */
export async function blocksBehindHead(db: Db): Promise<number> {
  const { rows } = await sql<{ behind: number; seconds: number }>`
    select s.head_seqno - r.to_seqno as behind, extract(epoch from now() - s.reported_at)::float8 as seconds
    from ingest_status s, (select to_seqno from indexed_ranges order by to_seqno desc limit 1) r`.execute(db)
  const found = rows[0]
  if (!found || found.behind <= 0) return 0
  const isFollowed = (await isHeadFollowed(db)) ?? found.seconds < REPORTED_SECONDS
  return isFollowed ? found.behind : 0
}
