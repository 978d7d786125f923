import type { Lt } from '@shardwalk/model'
import type pg from 'pg'
import { PARTITIONED_TABLES, readPartitions } from '../writing/partitions.ts'
import { columnsOf } from './remote-table.ts'
import { ARCHIVE_SCHEMA, quote } from './server.ts'

/** The partition that stands for everything on archive servers. */
const farOf = (table: string): string => `${table}_archived`
/** Name of the partition of a table that begins at an lt. */
export const partitionOf = (table: string, from: Lt): string => `${table}_lt_${from}`
/** The same partition among the archived ones, with its schema. */
export const inArchive = (table: string, from: Lt): string => `${ARCHIVE_SCHEMA}.${partitionOf(table, from)}`

/**
 * Replaces the partition of each table that stands for the archive by one for every lt before `end`; 0n: by
 * none. The local partitions of that range must have been detached.
 */
export async function attachFar(client: pg.ClientBase, end: Lt): Promise<void> {
  for (const table of PARTITIONED_TABLES) {
    const far = farOf(table)
    await client.query(`drop foreign table if exists ${far}`)
    if (end === 0n) continue
    await client.query(
      `create foreign table ${far} (${await columnList(client, table)}) server shardwalk_self
       options (schema_name '${ARCHIVE_SCHEMA}', table_name '${table}')`,
    )
    await forbidWrites(client, far)
    await client.query(`alter table ${table} attach partition ${far} for values from (0) to (${end})`)
  }
}

/** Adds a trigger that rejects every change of the table, so that a copy of it stays equal. */
export async function forbidWrites(client: pg.ClientBase, table: string): Promise<void> {
  await client.query(
    `create or replace trigger archived before insert or update or delete on ${table}
     for each row execute function refuse_archived()`,
  )
}

/**
 * Attaches the archived partitions of both tables with the lt range `[from, to)` as foreign tables of the
 * server.
 */
export async function attachRemote(
  client: pg.ClientBase,
  {
    from,
    to,
    server,
    schema,
  }: { readonly from: Lt; readonly to: Lt; readonly server: string; readonly schema: string },
): Promise<void> {
  for (const table of PARTITIONED_TABLES) {
    const name = inArchive(table, from)
    await client.query(
      `create foreign table ${name} (${await columnList(client, table)}) server ${quote(server)}
       options (schema_name '${schema}', table_name '${partitionOf(table, from)}', updatable 'false')`,
    )
    await client.query(
      `alter table ${ARCHIVE_SCHEMA}.${table} attach partition ${name} for values from (${from}) to (${to})`,
    )
  }
}

async function columnList(client: pg.ClientBase, table: string): Promise<string> {
  return (await columnsOf(client, table)).map(({ text }) => text).join(', ')
}

/**
 * Ranges of lt, ascending, from `archivedTo` on, for which both tables have a local partition; `to` is
 * exclusive.
 */
export async function localRanges(
  client: pg.ClientBase,
  archivedTo: Lt,
): Promise<readonly { readonly from: Lt; readonly to: Lt }[]> {
  const [first, ...others] = await Promise.all(
    PARTITIONED_TABLES.map(async (table) =>
      (await readPartitions(client, table)).filter(({ from }) => from >= archivedTo),
    ),
  )
  return first!
    .filter(({ from, to }) => others.every((list) => list.some((one) => one.from === from && one.to === to)))
    .sort((a, b) => (a.from < b.from ? -1 : 1))
}
