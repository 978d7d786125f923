import type { LiteServerJson } from '@shardwalk/tables'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A report that is older is of a process that has ended. Seconds. */
const FRESH_SECONDS = 60

/** Stores what ingest sees of its lite servers. Of several ingest processes the last one wins. */
export async function writeLiteServers(db: Db, servers: readonly LiteServerJson[]): Promise<void> {
  await sql`update ingest_status set lite_servers = ${JSON.stringify(servers)}::jsonb,
    lite_servers_at = now()`.execute(db)
}

/** What ingest sees of its lite servers; undefined: none runs, or it has none. */
export async function readLiteServers(db: Db): Promise<readonly LiteServerJson[] | undefined> {
  const { rows } = await sql<{ servers: readonly LiteServerJson[] | null }>`
    select lite_servers as servers from ingest_status
    where lite_servers_at > now() - make_interval(secs => ${FRESH_SECONDS})`.execute(db)
  return rows[0]?.servers ?? undefined
}
