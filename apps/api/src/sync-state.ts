import { type Db, isHeadFollowed } from '@shardwalk/db'
import { sql } from 'kysely'
import type { ReadinessPart } from './health.ts'

/**
 * Ready with `?synced=1`: everything from the first wanted block to the head is indexed, and somebody follows the head, so that it is
 * known. Ingest writes head and first block to `ingest_status`; the ranges are the truth about progress.
 */
export const syncedPart = (db: Db): ReadinessPart => ({
  name: 'synced',
  synced: true,
  problem: () => syncProblem(db),
})

async function syncProblem(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ head: number; first: number | null; from: number | null; to: number | null }>`
    select s.head_seqno as head, s.first_seqno as first, r.from_seqno as from, r.to_seqno as to
    from ingest_status s left join lateral (
      select from_seqno, to_seqno from indexed_ranges order by to_seqno desc limit 1
    ) r on true`.execute(db)
  const state = rows[0]
  if (!state) return 'ingest has not reported the head'
  if ((await isHeadFollowed(db)) === false)
    return `the head is not known: ingest does not run, or no source answers it; the last one it saw is ${state.head}`
  if (state.to === null || state.to < state.head)
    return `indexed up to ${state.to ?? 'nothing'}, the head is ${state.head}`
  if (state.first !== null && state.from! > state.first)
    return `blocks ${state.first} to ${state.from! - 1} are not all indexed`
  return undefined
}
