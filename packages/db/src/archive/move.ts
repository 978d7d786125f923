import type { Lt } from '@shardwalk/model'
import { ARCHIVE_STATE } from '@shardwalk/tables'
import pg from 'pg'
import { isDatabaseAway } from '../database-away.ts'
import { ensureFilter } from '../hash-filters/ensure.ts'
import {
  type ArchivedPartition,
  type ArchiveState,
  endOfArchive,
  FAR,
  readArchive,
} from '../queries/archived-partitions.ts'
import { sessionOf } from '../session.ts'
import { type LtRange, PARTITIONED_TABLES } from '../writing/partitions.ts'
import { attachFar, attachRemote, forbidWrites, inArchive, partitionOf } from './attach.ts'
import { ArchiveFailed } from './errors.ts'
import { changePartitions } from './keys.ts'
import { type ColumnText, columnsOf, contentsOf, copyTable, indexesOf } from './remote-table.ts'
import { ARCHIVE_SCHEMA, urlOfServer } from './server.ts'

/** A partition that was moved; `bytes` as they crossed the line. */
export interface Moved extends LtRange {
  readonly rows: number
  readonly bytes: number
  /** Brought back: schema on the archive server in which the copy was left (`schemaOf`). */
  readonly left?: string
}

/** Called after each step of a move; for tests. */
export type OnStep = (step: string) => void | Promise<void>

async function setState(client: pg.Pool | pg.ClientBase, from: Lt, state: ArchiveState): Promise<void> {
  await client.query('update archived_partitions set state = $2 where from_lt = $1', [
    from,
    ARCHIVE_STATE.indexOf(state),
  ])
}

/**
 * Moves one partition of both tables, from wherever an interrupted run left it: rows are frozen, copied,
 * compared, then read from the other server, and only then removed here.
 */
export async function moveOut(
  pool: pg.Pool,
  { from, to, server }: LtRange & { readonly server: string },
  onStep: OnStep = () => {},
): Promise<Moved> {
  const state = (await readArchive(pool)).find((one) => one.from === from)?.state
  let moved: Moved = { from, to, rows: 0, bytes: 0 }
  if (state === undefined || state === 'copying') {
    await changePartitions(pool, async (client) => {
      await client.query(
        `insert into archived_partitions (from_lt, to_lt, server, state) values ($1, $2, $3, 0)
         on conflict (from_lt) do update set server = excluded.server`,
        [from, to, server],
      )
      for (const table of PARTITIONED_TABLES) await forbidWrites(client, partitionOf(table, from))
    })
    await onStep('frozen')
    const schema = await schemaOnServers(pool)
    moved = { ...moved, ...(await copyOut(pool, { from, to, server, schema }, onStep)) }
    await changePartitions(pool, async (client) => {
      for (const table of PARTITIONED_TABLES)
        await client.query(`alter table ${table} detach partition ${partitionOf(table, from)}`)
      await attachRemote(client, { from, to, server, schema })
      await attachFar(client, to)
      await setState(client, from, 'switched')
    })
    await onStep('switched')
  }
  if (state !== 'archived') {
    await changePartitions(pool, async (client) => {
      for (const table of PARTITIONED_TABLES)
        await client.query(`drop table if exists ${partitionOf(table, from)}`)
      await setState(client, from, 'archived')
    })
    await onStep('dropped')
  }
  return moved
}

interface Place extends LtRange {
  readonly server: string
  readonly schema: string
}

async function copyOut(
  pool: pg.Pool,
  { from, to, server, schema }: Place,
  onStep: OnStep,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  let rows = 0
  let bytes = 0
  await onServer(await urlOfServer(pool, server), async (archive) => {
    await archive.query(`create schema if not exists ${schema}`)
    for (const table of PARTITIONED_TABLES) {
      const partition = partitionOf(table, from)
      const columns = await columnsOf(pool, table)
      const target = { schema, table: partition }
      await archive.query(`drop table if exists ${schema}.${partition}`)
      bytes += await transfer(
        { client: await pool.connect(), table: partition },
        { client: archive, table: `${schema}.${partition}` },
        columns,
      )
      await onStep(`copied ${table}`)
      await archive.query(`alter table ${schema}.${partition} add primary key (account_id, lt)`)
      for (const statement of await indexesOf(pool, table, target)) await archive.query(statement)
      await archive.query(`vacuum (analyze) ${schema}.${partition}`)
      const here = await contentsOf(pool, partition, columns)
      const there = await contentsOf(archive, `${schema}.${partition}`, columns)
      compare(partition, here, there)
      await onStep(`compared ${table}`)
      await ensureFilter(pool, { table, name: partition, from, to })
      await onStep(`hashes of ${table}`)
      rows += here.rows
    }
  })
  return { rows, bytes }
}

/** Creates the table and fills it. */
async function transfer(
  source: { readonly client: pg.PoolClient; readonly table: string },
  target: { readonly client: pg.ClientBase; readonly table: string },
  columns: readonly ColumnText[],
): Promise<number> {
  let broken = true
  try {
    await target.client.query(`create table ${target.table} (${columns.map(({ text }) => text).join(', ')})`)
    const bytes = await copyTable(source, target, columns)
    broken = false
    return bytes
  } finally {
    source.client.release(broken)
  }
}

function compare(
  partition: string,
  here: { readonly rows: number; readonly checksum: string },
  there: { readonly rows: number; readonly checksum: string },
): void {
  if (here.rows === there.rows && here.checksum === there.checksum) return
  throw new ArchiveFailed(
    `the copy of ${partition} differs: ${here.rows} rows with checksum ${here.checksum} here, ` +
      `${there.rows} with ${there.checksum} there; nothing was removed`,
  )
}

/**
 * Brings the newest archived partition back, from wherever an interrupted run left it. One whose move was
 * interrupted before it was read from there is merely released.
 */
export async function moveBack(
  pool: pg.Pool,
  { from, to, server, state }: ArchivedPartition,
  onStep: OnStep = () => {},
): Promise<Moved> {
  const own = await schemaOnServers(pool)
  const schema = FAR.includes(state) ? await schemaOf(pool, from) : own
  let moved: Moved = { from, to, rows: 0, bytes: 0, ...(schema !== own && { left: schema }) }
  if (FAR.includes(state)) {
    await setState(pool, from, 'returning')
    await onStep('returning')
    moved = { ...moved, ...(await copyBack(pool, { from, to, server, schema }, onStep)) }
    await changePartitions(pool, async (client) => {
      for (const table of PARTITIONED_TABLES)
        await client.query(`drop foreign table ${inArchive(table, from)}`)
      const rest = (await readArchive(client)).filter((one) => one.from !== from)
      await attachFar(client, endOfArchive(rest))
      for (const table of PARTITIONED_TABLES) {
        const partition = partitionOf(table, from)
        await client.query(
          `alter table ${table} attach partition ${partition} for values from (${from}) to (${to})`,
        )
        await client.query(`alter table ${partition} drop constraint within_bounds`)
      }
      await setState(client, from, 'returned')
    })
    await onStep('attached')
  }
  if (state === 'copying') {
    await changePartitions(pool, async (client) => {
      for (const table of PARTITIONED_TABLES)
        await client.query(`drop trigger if exists archived on ${partitionOf(table, from)}`)
      await setState(client, from, 'returned')
    })
  }
  if (schema === own)
    await onServer(await urlOfServer(pool, server), async (archive) => {
      for (const table of PARTITIONED_TABLES)
        await archive.query(`drop table if exists ${schema}.${partitionOf(table, from)}`)
    })
  await onStep('removed there')
  await pool.query('delete from archived_partitions where from_lt = $1', [from])
  return moved
}

async function copyBack(
  pool: pg.Pool,
  { from, to, server, schema }: Place,
  onStep: OnStep,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  let rows = 0
  let bytes = 0
  await onServer(await urlOfServer(pool, server), async (archive) => {
    for (const table of PARTITIONED_TABLES) {
      const partition = partitionOf(table, from)
      const columns = await columnsOf(pool, table)
      await pool.query(`drop table if exists ${partition}`)
      // As a partition is made, but for the indexes, which are built afterwards.
      await pool.query(
        `create table ${partition} (like ${table} including all excluding indexes,
           constraint within_bounds check (lt >= ${from} and lt < ${to}))`,
      )
      await pool.query(await settingsLike(pool, table, partition))
      const client = await pool.connect()
      let broken = true
      try {
        bytes += await copyTable(
          { client: archive, table: `${schema}.${partition}` },
          { client, table: partition },
          columns,
        )
        broken = false
      } finally {
        client.release(broken)
      }
      await onStep(`copied back ${table}`)
      await pool.query(`alter table ${partition} add primary key (account_id, lt)`)
      const target = { schema: await currentSchema(pool), table: partition }
      for (const statement of await indexesOf(pool, table, target)) await pool.query(statement)
      await pool.query(`vacuum (analyze) ${partition}`)
      const here = await contentsOf(pool, partition, columns)
      compare(partition, here, await contentsOf(archive, `${schema}.${partition}`, columns))
      await onStep(`compared back ${table}`)
      rows += here.rows
    }
  })
  return { rows, bytes }
}

/** Gives the table the settings of the other partitions, which are not those of the partitioned table. */
async function settingsLike(pool: pg.Pool, parent: string, partition: string): Promise<string> {
  const { rows } = await pool.query<{ settings: string }>(
    `select array_to_string(c.reloptions, ', ') as settings
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.reloptions is not null and c.relkind = 'r' limit 1`,
    [parent],
  )
  const settings = rows[0]?.settings
  return settings ? `alter table ${partition} set (${settings})` : ''
}

async function currentSchema(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ schema: string }>('select quote_ident(current_schema()) as schema')
  return rows[0]!.schema
}

/** Of this database, whichever others use the same archive. */
async function schemaOnServers(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `select left(md5(concat(s.system_identifier, ' ', d.oid)), 8) as id
     from pg_control_system() s, pg_database d where d.datname = current_database()`,
  )
  return `${ARCHIVE_SCHEMA}_${rows[0]!.id}`
}

/**
 * The schema that an archived partition is in. After `pg_upgrade`, or in a database restored from a dump, it
 * is not `schemaOnServers`: then the former database may still read what is there.
 */
async function schemaOf(pool: pg.Pool, from: Lt): Promise<string> {
  const { rows } = await pool.query<{ schema: string }>(
    `select option_value as schema from pg_foreign_table, pg_options_to_table(ftoptions)
     where ftrelid = $1::regclass and option_name = 'schema_name'`,
    [inArchive(PARTITIONED_TABLES[0], from)],
  )
  return rows[0]!.schema
}

/** A connection that is ended afterwards. */
async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...sessionOf(url),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'shardwalk archive',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    const { host } = new URL(url)
    throw new ArchiveFailed(
      `the archive server ${host} does not answer (${(error as Error).message}); nothing is lost: ` +
        'repeat the command when it does',
      { cause: error },
    )
  } finally {
    await client.end().catch(() => {})
  }
}
