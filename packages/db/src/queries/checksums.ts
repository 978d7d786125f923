import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface TableChecksum {
  readonly rows: bigint
  /** Decimal; equal for equal sets of rows, whatever their order on disk. */
  readonly checksum: string
}

/** Tables whose content follows from the chain, in the order of the report. */
export const CHECKED_TABLES = [
  'accounts',
  'blocks',
  'shard_state',
  'transactions',
  'messages',
  'latest_account_states',
  'codes',
  'account_data',
  'traces',
  'indexed_ranges',
  'network',
] as const

/** Tables that workers derive from the others; equal once `unclassified_traces` is empty. */
export const CLASSIFIED_TABLES = ['actions', 'action_accounts', 'classification_failures'] as const

/**
 * A checksum per table over all its columns: the sum of the rows' hashes (each half of MD5 separately), so
 * that neither order nor partitions of rows matter. Reads everything. `tables`: default all.
 */
export async function tableChecksums(
  db: Db,
  tables: readonly (typeof CHECKED_TABLES | typeof CLASSIFIED_TABLES)[number][] = CHECKED_TABLES,
): Promise<ReadonlyMap<string, TableChecksum>> {
  const checksums = new Map<string, TableChecksum>()
  for (const table of tables) checksums.set(table, await checksumOf(db, table))
  return checksums
}

async function checksumOf(db: Db, table: string): Promise<TableChecksum> {
  const columns = await columnsOf(db, table)
  const { rows } = await sql<{ rows: bigint; checksum: string }>`
    select count(*) as rows, concat(sum(('x' || left(hash, 16))::bit(64)::bigint), ':',
      sum(('x' || right(hash, 16))::bit(64)::bigint)) as checksum
    from (select md5(row(${sql.join(columns.map((column) => sql.ref(column)))})::text) as hash
      from ${sql.table(table)}) hashes
  `.execute(db)
  return rows[0]!
}

/** Ordered by name, so that the hash does not depend on the order of columns. */
async function columnsOf(db: Db, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ column_name: string }>`
    select column_name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} order by column_name collate "C"`.execute(
    db,
  )
  return rows.map((row) => row.column_name)
}
