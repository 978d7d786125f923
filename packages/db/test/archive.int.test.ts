import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { prepareDataDir, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { COMPILED_ROOT, isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  archiveRange,
  BatchSink,
  bringBack,
  type EncodedBatch,
  isArchiveAway,
  listArchive,
  tableChecksums,
  writeIngestStatus,
} from '../src/index.ts'

/** Blocks 20 to 40 have most of the transactions. */
const [BLOCKS, MORE] = isLong ? [40, 60] : [20, 22]
const SETTINGS = { fsync: 'off', shared_buffers: '32MB', wal_level: 'minimal', max_wal_senders: '0' }

let dir: string
let archive: EmbeddedPostgres
let scratch: ScratchDatabase
let batches: readonly EncodedBatch[]
let whole: Awaited<ReturnType<typeof contents>>
/** All blocks but the last few, in whose partition the head is. */
let range: { readonly from: number; readonly to: number }

const TABLES = ['transactions', 'messages']
const contents = () => tableChecksums(scratch.db, TABLES)
const startArchive = (port?: number) =>
  startEmbeddedPostgres({ dataDir: dir, settings: SETTINGS, ...(port !== undefined && { port }) })

/** Partitions of transactions: those here, and the number of those on the other server. */
async function places() {
  const { rows } = await scratch.pool.query<{ here: number; there: number; unfinished: number }>(
    `select (select count(*)::int from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'transactions'::regclass and c.relkind = 'r') as here,
      (select count(*)::int from archived_partitions where state = 2) as there,
      (select count(*)::int from archived_partitions where state <> 2) as unfinished`,
  )
  return rows[0]!
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'shardwalk-archive-'))
  await chmod(dir, 0o755)
  // Its database has other tables, too, which costs less than to set up a server.
  await prepareDataDir(dir)
  ;[archive, scratch, batches] = await Promise.all([
    startArchive(),
    scratchDatabase(),
    recordedBatches({ to: BLOCKS }),
  ])
  const ends = batches.flatMap(({ ltRange }) => (ltRange ? [ltRange] : []))
  const partitionWidth = (ends.at(-1)!.to - ends[0]!.from) / 4n
  await new BatchSink(scratch.pool, { partitionWidth }).commitBatches(batches)
  await writeIngestStatus(scratch.db, { head: BLOCKS, first: 1 })
  range = { from: 1, to: BLOCKS - 1 }
  whole = await contents()
})
afterAll(async () => {
  await scratch?.close()
  await archive?.stop()
  await rm(dir, { recursive: true, force: true })
})

test('partitions move to the other server and back, and every row is as before', async () => {
  const before = await places()
  expect(before.there).toBe(0)
  const out = await archiveRange(scratch, { range, url: archive.url })
  const there = out!.length
  expect(there).toBeGreaterThanOrEqual(2)
  expect(out!.reduce((sum, { rows }) => sum + rows, 0)).toBeGreaterThan(100)
  expect(await places()).toEqual({ here: before.here - there, there, unfinished: 0 })
  expect(await contents()).toEqual(whole)
  expect(await archiveRange(scratch, { range, url: archive.url })).toEqual([])

  expect(await bringBack(scratch, range)).toHaveLength(there)
  expect(await places()).toEqual(before)
  expect(await contents()).toEqual(whole)
})

const OUT = [
  'frozen',
  ...TABLES.flatMap((table) => [`copied ${table}`, `compared ${table}`, `hashes of ${table}`]),
  'switched',
  'dropped',
]
const BACK = [
  'returning',
  ...TABLES.flatMap((table) => [`copied back ${table}`, `compared back ${table}`]),
  'attached',
  'removed there',
]
const failAt = (step: string) => (done: string) => {
  if (done === step) throw new Error(`stopped at ${step}`)
}

test('a move that fails at any step leaves all rows to be read, and the next run goes on', async () => {
  const url = archive.url
  for (const step of OUT) {
    await expect(archiveRange(scratch, { range, url }, { onStep: failAt(step) })).rejects.toThrow(step)
    expect([step, await contents()]).toEqual([step, whole])
  }
  await archiveRange(scratch, { range, url })
  const { there } = await places()
  for (const step of BACK) {
    await expect(bringBack(scratch, range, { onStep: failAt(step) })).rejects.toThrow(step)
    expect([step, await contents()]).toEqual([step, whole])
  }
  await bringBack(scratch, range)
  expect(there).toBeGreaterThanOrEqual(2)
  expect(await places()).toMatchObject({ there: 0, unfinished: 0 })
  expect(await contents()).toEqual(whole)
})

/** The package for other processes. */
const DB = join(COMPILED_ROOT, 'parts/packages/db/src/index.js')

/** Runs a process that kills itself after the step. */
const killedAfter = (way: 'out' | 'back', step: string) =>
  new Promise<unknown>((resolve) => {
    const script = join(import.meta.dirname, 'archive-until.mjs')
    const given = [DB, scratch.url, archive.url, way, String(range.to), step]
    execFile(process.execPath, [script, ...given], (error) => resolve(error?.signal))
  })

test('after kill -9 at a step, the next run goes on', async () => {
  for (const step of isLong ? ['copied messages', 'switched'] : ['switched']) {
    expect([step, await killedAfter('out', step)]).toEqual([step, 'SIGKILL'])
    expect([step, await contents()]).toEqual([step, whole])
  }
  await archiveRange(scratch, { range, url: archive.url })
  expect(await places()).toMatchObject({ unfinished: 0 })
  for (const step of isLong ? ['copied back messages'] : []) {
    expect([step, await killedAfter('back', step)]).toEqual([step, 'SIGKILL'])
    expect([step, await contents()]).toEqual([step, whole])
  }
  await bringBack(scratch, range)
  expect(await places()).toMatchObject({ there: 0, unfinished: 0 })
  expect(await contents()).toEqual(whole)
})

test('with the archive server away only what needs it fails and says so; then it comes back', async () => {
  const sink = new BatchSink(scratch.pool)
  await archiveRange(scratch, { range, url: archive.url })
  const { port } = archive
  await archive.stop()
  const away = await contents().catch((error: unknown) => error)
  expect([isArchiveAway(away), (away as Error).message]).toEqual([
    true,
    expect.stringMatching(/^could not connect to server "shardwalk_archive_127\.0\.0\.1_/),
  ])
  // What is here is written, repaired and read.
  const head = { from: BLOCKS, to: BLOCKS }
  await sink.repairRange(head, batches.slice(-1))
  const more = await recordedBatches({ to: MORE })
  await sink.commitBatches(more.slice(BLOCKS))
  const { rows } = await scratch.pool.query('select lt from transactions order by lt desc limit 5')
  expect(rows).toHaveLength(5)
  // What is there is not changed by accident.
  await expect(sink.repairRange({ from: 1, to: 1 }, batches.slice(0, 1))).rejects.toSatisfy(isArchiveAway)

  archive = await startArchive(port)
  await expect(sink.repairRange({ from: 5, to: 5 }, batches.slice(4, 5))).rejects.toThrow(
    'run "shardwalk archive --back" for their range first',
  )
  await scratch.pool.query('select count(*) from transactions')
  expect(await listArchive(scratch)).not.toEqual([])
  await bringBack(scratch, range)
  const alone = await scratchDatabase()
  await new BatchSink(alone.pool).commitBatches(more)
  expect(await contents()).toEqual(await tableChecksums(alone.db, TABLES))
  await alone.close()
})
