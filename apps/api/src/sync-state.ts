import {
  countQuarantine,
  type Db,
  describeQuarantine,
  isHeadFollowed,
  replicaLagSeconds,
} from '@shardwalk/db'
import { findSyncState } from '@shardwalk/queries'
import type { ReadinessPart } from './health.ts'

/** What a standby may lack while its primary writes for some time. */
const MAX_REPLICA_LAG_S = 30

/**
 * Ready with `?synced=1`: everything from the first requested block to the head is indexed, nothing is in
 * quarantine, and ingest follows the head. Ingest reports the head and the first block; progress is derived
 * from the indexed ranges.
 */
export const syncedPart = (db: Db, maxReplicaLagS = MAX_REPLICA_LAG_S): ReadinessPart => ({
  name: 'synced',
  synced: true,
  problem: async () => (await replicaProblem(db, maxReplicaLagS)) ?? (await syncProblem(db)),
})

/** Everything that a standby knows of the head and of progress may be old. */
async function replicaProblem(db: Db, maxLagS: number): Promise<string | undefined> {
  const seconds = (await replicaLagSeconds(db)) ?? 0
  if (seconds <= maxLagS) return undefined
  return `this replica is ${Math.ceil(seconds)} s behind its primary, or not connected to it`
}

async function syncProblem(db: Db): Promise<string | undefined> {
  const state = await findSyncState(db)
  if (!state) return 'ingest has not reported the head'
  const { headSeqno, firstSeqno, range } = state
  if ((await isHeadFollowed(db)) === false)
    return (
      'the head is not known: ingest does not run, or no source answers it; the last one it saw is ' +
      `${headSeqno}`
    )
  if (!range || range.to < headSeqno)
    return `indexed up to ${range?.to ?? 'nothing'}, the head is ${headSeqno}`
  if (range.from > firstSeqno) return `blocks ${firstSeqno} to ${range.from - 1} are not all indexed`
  const quarantined = describeQuarantine(await countQuarantine(db))
  return quarantined && `in quarantine: ${quarantined}`
}
