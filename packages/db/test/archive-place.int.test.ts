import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { joinServer, urlOfServer } from '../src/archive/server.ts'
import {
  applyWatch,
  archiveRange,
  BatchSink,
  bringBack,
  decideTraces,
  type EncodedBatch,
  followPort,
  queueStoredTraces,
} from '../src/index.ts'

// What depends on where the archive is: the port of this server, and what can no longer be deleted.

const BLOCKS = 60
const RANGE = { from: 1, to: 40 }
let scratch: ScratchDatabase
let far: ScratchDatabase
let batches: readonly EncodedBatch[]
let partitionWidth: bigint

const query = async (text: string, values: readonly unknown[] = []) =>
  (await scratch.pool.query(text, [...values])).rows
const archive = () => archiveRange(scratch, { range: RANGE, url: far.url })

beforeAll(async () => {
  ;[scratch, far, batches] = await Promise.all([
    scratchDatabase(),
    scratchDatabase({ migrated: false }),
    recordedBatches({ to: BLOCKS + 1 }),
  ])
  const ends = batches.flatMap(({ ltRange }) => ltRange ?? [])
  partitionWidth = (ends.at(-1)!.to - ends[0]!.from) / 4n
  await new BatchSink(scratch.pool, { partitionWidth }).commitBatches(batches.slice(0, BLOCKS))
  await query('truncate refresh_queue, event_queue')
})
afterAll(async () => {
  await scratch?.close()
  await far?.close()
})
beforeEach(() => query('truncate undecided_traces, watch_pass'))

test('nothing is archived while traces of the range are not decided', async () => {
  await query(`insert into undecided_traces (piece)
    select piece from traces where state = 0 order by start_lt limit 1`)
  await expect(archive()).rejects.toThrow('(WATCH) is still being decided')
})

test('an archive is made after a run that was killed between the server and its user', async () => {
  await query('create extension if not exists postgres_fdw')
  const port = (await query('show port'))[0]!.port
  await query(`create server shardwalk_self foreign data wrapper postgres_fdw
    options (host '127.0.0.1', port '1', dbname '${new URL(scratch.url).pathname.slice(1)}')`)
  expect((await archive())?.length).toBeGreaterThan(0)
  expect(
    await query(`select from pg_foreign_server where srvname = 'shardwalk_self'
    and 'port=${port}' = any (srvoptions)`),
  ).toHaveLength(1)
})

test('blocks are written after the port of the server has changed', async () => {
  const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'postgres_fdw'`
  await query(`alter server shardwalk_self options (set port '1')`)
  await query(terminate)
  await followPort(scratch.pool)
  await new BatchSink(scratch.pool, { partitionWidth }).commitBatches(batches.slice(BLOCKS))
  expect(await query('select from blocks where workchain = -1 and seqno = $1', [BLOCKS + 1])).toHaveLength(1)
})

test('traces that are archived are kept when less is watched, and the others are decided', async () => {
  await query('truncate refresh_queue, event_queue')
  await applyWatch(scratch.pool, [{ kind: 'code', hash: Buffer.alloc(32, 5) }])
  while (await queueStoredTraces(scratch.pool));
  const [before] = await query(`select count(*)::int as all,
    count(*) filter (where start_lt < (select max(to_lt) from archived_partitions))::int as archived
    from traces where state = 0`)
  expect(before!.all).toBeGreaterThan(before!.archived)
  for (let looked = 1; looked > 0; ) looked = (await decideTraces(scratch.pool, { limit: 500 })).looked
  expect(await query('select count(*)::int as left from traces where state = 0')).toEqual([
    { left: before!.archived },
  ])
})

test('an archive server may have an IPv6 address, and any password', async () => {
  for (const url of ['postgres://a:p%40%3A%5C%20@[2001:db8::1]:5433/x', 'postgres://a:p@db:5432/y%20z']) {
    const name = await joinServer(scratch.pool, url)
    const [server] = await query(
      `select split_part(o, '=', 2) as host from pg_foreign_server, unnest(srvoptions) o
       where srvname = $1 and o like 'host=%'`,
      [name],
    )
    expect(server!.host).toBe(new URL(url).hostname.replace(/[[\]]/g, ''))
    expect(await urlOfServer(scratch.pool, name)).toBe(url)
  }
})

test('an archive whose certificate is not verified is brought back without verifying it either', async () => {
  for (const [asked, stored] of [
    ['sslmode=no-verify', 'require'],
    ['uselibpqcompat=true&sslmode=require', 'require'],
    ['sslmode=verify-full', 'verify-full'],
  ] as const) {
    const name = await joinServer(scratch.pool, `postgres://one:secret@${stored}.example:5433/chain?${asked}`)
    const back = new URL(await urlOfServer(scratch.pool, name))
    expect(Object.fromEntries(back.searchParams)).toEqual({ sslmode: stored, uselibpqcompat: 'true' })
  }
})

test('after pg_upgrade partitions come back, and what the former server may read stays there', async () => {
  const count = async () => (await query('select count(*)::int as n from transactions'))[0]!.n
  const before = await count()
  // Another server has another identifier: what was archived is in a schema with another name than its own.
  const { rows } = await far.pool.query(
    `select nspname as name from pg_namespace where nspname like 'shardwalk_archive_%'`,
  )
  const former = 'shardwalk_archive_former'
  await far.pool.query(`alter schema ${rows[0]!.name} rename to ${former}`)
  const tables = await query(
    `select ftrelid::regclass::text as name from pg_foreign_table
     where ftoptions::text like '%shardwalk_archive\\_%'`,
  )
  for (const { name } of tables)
    await query(`alter foreign table ${name} options (set schema_name '${former}')`)
  const moved = await bringBack(scratch, { from: 1, to: BLOCKS })
  expect(moved!.length).toBeGreaterThan(0)
  expect(moved!.every(({ left }) => left === former)).toBe(true)
  expect(await query('select from archived_partitions')).toEqual([])
  expect(await count()).toBe(before)
  const there = await far.pool.query(`select from pg_tables where schemaname = $1`, [former])
  expect(there.rowCount).toBe(2 * moved!.length)
})
