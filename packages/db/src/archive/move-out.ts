import type { Lt } from '@shardwalk/model'
import type pg from 'pg'
import { ensureFilter } from '../hash-filters/ensure.ts'
import { readArchive } from '../queries/archived-partitions.ts'
import { type LtRange, PARTITIONED_TABLES } from '../writing/partitions.ts'
import { attachFar, attachRemote, forbidWrites, partitionOf } from './attach.ts'
import { compare, withConnection } from './copies.ts'
import { changePartitions } from './keys.ts'
import { type Copied, type Moved, type OnStep, setState } from './moved.ts'
import { onServer, type Place, schemaOnServers } from './place.ts'
import { columnsOf, contentsOf, copyTable, indexesOf } from './remote-table.ts'

/**
 * Moves one partition of both tables, from wherever an interrupted run left it: rows are frozen, copied,
 * compared, then read from the other server, and only then removed here.
 */
export async function moveOut(
  pool: pg.Pool,
  range: LtRange & { readonly server: string },
  onStep: OnStep = () => {},
): Promise<Moved> {
  const { from, to } = range
  const state = (await readArchive(pool)).find((one) => one.from === from)?.state
  let moved: Moved = { from, to, rows: 0, bytes: 0 }
  if (state === undefined || state === 'copying') {
    await freeze(pool, range)
    await onStep('frozen')
    const place = { ...range, schema: await schemaOnServers(pool) }
    moved = { ...moved, ...(await copyOut(pool, place, onStep)) }
    await readFromServer(pool, place)
    await onStep('switched')
  }
  if (state !== 'archived') {
    await dropLocal(pool, from)
    await onStep('dropped')
  }
  return moved
}

async function freeze(
  pool: pg.Pool,
  { from, to, server }: LtRange & { readonly server: string },
): Promise<void> {
  await changePartitions(pool, async (client) => {
    await client.query(
      `insert into archived_partitions (from_lt, to_lt, server, state) values ($1, $2, $3, 0)
       on conflict (from_lt) do update set server = excluded.server`,
      [from, to, server],
    )
    for (const table of PARTITIONED_TABLES) await forbidWrites(client, partitionOf(table, from))
  })
}

async function copyOut(pool: pg.Pool, place: Place, onStep: OnStep): Promise<Copied> {
  const { from, to, server, schema } = place
  let rows = 0
  let bytes = 0
  await onServer(pool, server, async (archive) => {
    await archive.query(`create schema if not exists ${schema}`)
    for (const table of PARTITIONED_TABLES) {
      const copied = await copyTableOut({ pool, archive }, { ...place, table }, onStep)
      await ensureFilter(pool, { table, name: partitionOf(table, from), from, to })
      await onStep(`hashes of ${table}`)
      rows += copied.rows
      bytes += copied.bytes
    }
  })
  return { rows, bytes }
}

/** Replaces what an interrupted run left of the copy. */
async function copyTableOut(
  { pool, archive }: { readonly pool: pg.Pool; readonly archive: pg.ClientBase },
  { from, schema, table }: Place & { readonly table: string },
  onStep: OnStep,
): Promise<Copied> {
  const partition = partitionOf(table, from)
  const copy = `${schema}.${partition}`
  const columns = await columnsOf(pool, table)
  await archive.query(`drop table if exists ${copy}`)
  await archive.query(`create table ${copy} (${columns.map(({ text }) => text).join(', ')})`)
  const bytes = await withConnection(pool, (client) =>
    copyTable({ client, table: partition }, { client: archive, table: copy }, columns),
  )
  await onStep(`copied ${table}`)
  await archive.query(`alter table ${copy} add primary key (account_id, lt)`)
  for (const statement of await indexesOf(pool, table, { schema, table: partition }))
    await archive.query(statement)
  await archive.query(`vacuum (analyze) ${copy}`)
  const here = await contentsOf(pool, partition, columns)
  compare(partition, here, await contentsOf(archive, copy, columns))
  await onStep(`compared ${table}`)
  return { rows: here.rows, bytes }
}

/** The partition is no longer part of its table, the copy is. */
async function readFromServer(pool: pg.Pool, place: Place): Promise<void> {
  await changePartitions(pool, async (client) => {
    for (const table of PARTITIONED_TABLES)
      await client.query(`alter table ${table} detach partition ${partitionOf(table, place.from)}`)
    await attachRemote(client, place)
    await attachFar(client, place.to)
    await setState(client, place.from, 'switched')
  })
}

async function dropLocal(pool: pg.Pool, from: Lt): Promise<void> {
  await changePartitions(pool, async (client) => {
    for (const table of PARTITIONED_TABLES)
      await client.query(`drop table if exists ${partitionOf(table, from)}`)
    await setState(client, from, 'archived')
  })
}
