import type { FullNodesJson } from '@shardwalk/tables'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Reports of processes that have ended. */
const CURRENT = sql`interval '30 seconds'`
const FORGOTTEN = sql`interval '1 day'`

/** A report, by the ADNL id of its process in hex. */
export interface FullNodeReportRow {
  readonly id: string
  readonly ageSeconds: number
  readonly report: FullNodesJson
}

/** `id`: ADNL id of this process, 32 bytes. */
export async function writeFullNodeReport(db: Db, id: Buffer, report: FullNodesJson): Promise<void> {
  await sql`
    insert into full_node_reports (adnl_id, reported_at, report)
    values (${id}, now(), ${JSON.stringify(report)})
    on conflict (adnl_id) do update set reported_at = now(), report = excluded.report`.execute(db)
  await sql`delete from full_node_reports where reported_at < now() - ${FORGOTTEN}`.execute(db)
}

/** Reports of the processes that run. */
export async function readFullNodeReports(db: Db): Promise<readonly FullNodeReportRow[]> {
  const { rows } = await sql<FullNodeReportRow>`
    select encode(adnl_id, 'hex') as id, report,
      extract(epoch from now() - reported_at)::float8 as "ageSeconds"
    from full_node_reports where reported_at > now() - ${CURRENT} order by adnl_id`.execute(db)
  return rows
}
