import type { Lt } from '@shardwalk/model'
import type pg from 'pg'
import { type ArchivedPartition, endOfArchive, FAR, readArchive } from '../queries/archived-partitions.ts'
import { type LtRange, PARTITIONED_TABLES } from '../writing/partitions.ts'
import { attachFar, inArchive, partitionOf } from './attach.ts'
import { compare, withConnection } from './copies.ts'
import { changePartitions } from './keys.ts'
import { type Copied, type Moved, type OnStep, setState } from './moved.ts'
import { onServer, type Place, schemaOf, schemaOnServers } from './place.ts'
import { columnsOf, contentsOf, copyTable, indexesOf } from './remote-table.ts'

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
  const place = { from, to, server, schema }
  let moved: Moved = { from, to, rows: 0, bytes: 0, ...(schema !== own && { left: schema }) }
  if (FAR.includes(state)) {
    await setState(pool, from, 'returning')
    await onStep('returning')
    moved = { ...moved, ...(await copyBack(pool, place, onStep)) }
    await readFromHere(pool, place)
    await onStep('attached')
  }
  if (state === 'copying') await allowWrites(pool, from)
  if (schema === own) await removeCopy(pool, place)
  await onStep('removed there')
  await pool.query('delete from archived_partitions where from_lt = $1', [from])
  return moved
}

async function copyBack(pool: pg.Pool, place: Place, onStep: OnStep): Promise<Copied> {
  let rows = 0
  let bytes = 0
  await onServer(pool, place.server, async (archive) => {
    for (const table of PARTITIONED_TABLES) {
      const copied = await copyTableBack({ pool, archive }, { ...place, table }, onStep)
      rows += copied.rows
      bytes += copied.bytes
    }
  })
  return { rows, bytes }
}

/** Replaces what an interrupted run left of the partition. */
async function copyTableBack(
  { pool, archive }: { readonly pool: pg.Pool; readonly archive: pg.ClientBase },
  { from, to, schema, table }: Place & { readonly table: string },
  onStep: OnStep,
): Promise<Copied> {
  const partition = partitionOf(table, from)
  const copy = `${schema}.${partition}`
  const columns = await columnsOf(pool, table)
  await createPartition(pool, table, { from, to })
  const bytes = await withConnection(pool, (client) =>
    copyTable({ client: archive, table: copy }, { client, table: partition }, columns),
  )
  await onStep(`copied back ${table}`)
  await pool.query(`alter table ${partition} add primary key (account_id, lt)`)
  const target = { schema: await currentSchema(pool), table: partition }
  for (const statement of await indexesOf(pool, table, target)) await pool.query(statement)
  await pool.query(`vacuum (analyze) ${partition}`)
  const here = await contentsOf(pool, partition, columns)
  compare(partition, here, await contentsOf(archive, copy, columns))
  await onStep(`compared back ${table}`)
  return { rows: here.rows, bytes }
}

/** As a partition is made, but for the indexes, which are built when it has its rows. */
async function createPartition(pool: pg.Pool, table: string, { from, to }: LtRange): Promise<void> {
  const partition = partitionOf(table, from)
  await pool.query(`drop table if exists ${partition}`)
  await pool.query(
    `create table ${partition} (like ${table} including all excluding indexes,
       constraint within_bounds check (lt >= ${from} and lt < ${to}))`,
  )
  await pool.query(await settingsLike(pool, table, partition))
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

/** The partition is part of its table again, the copy no longer. */
async function readFromHere(pool: pg.Pool, { from, to }: LtRange): Promise<void> {
  await changePartitions(pool, async (client) => {
    for (const table of PARTITIONED_TABLES) await client.query(`drop foreign table ${inArchive(table, from)}`)
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
}

async function allowWrites(pool: pg.Pool, from: Lt): Promise<void> {
  await changePartitions(pool, async (client) => {
    for (const table of PARTITIONED_TABLES)
      await client.query(`drop trigger if exists archived on ${partitionOf(table, from)}`)
    await setState(client, from, 'returned')
  })
}

async function removeCopy(pool: pg.Pool, { from, server, schema }: Place): Promise<void> {
  await onServer(pool, server, async (archive) => {
    for (const table of PARTITIONED_TABLES)
      await archive.query(`drop table if exists ${schema}.${partitionOf(table, from)}`)
  })
}
