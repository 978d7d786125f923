import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Seconds for which a standby has not replayed what its primary wrote: 0 if it has everything, undefined if
 * nothing was replayed since it started, and on servers that do not say it (Aurora). 0 on a primary.
 */
export async function replicaLagSeconds(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ seconds: number | null }>`
    select case
      when not pg_is_in_recovery() then 0
      when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
        and exists (select from pg_stat_wal_receiver) then 0
      else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
    end::float8 as seconds`
    .execute(db)
    .catch(() => ({ rows: [] }))
  return rows[0]?.seconds ?? undefined
}
