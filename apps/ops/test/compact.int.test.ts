import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BatchSink, oneAtATime, writeIngestStatus } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runCommand } from './run-command.ts'

const BLOCKS = 30

let dir: string
let scratch: ScratchDatabase
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'shardwalk-compact-'))
  scratch = await scratchDatabase()
  vi.stubEnv('DATABASE_URL', scratch.url)
  const batches = await recordedBatches({ to: BLOCKS })
  const ends = batches.flatMap(({ ltRange }) => (ltRange ? [ltRange] : []))
  const partitionWidth = (ends.at(-1)!.to - ends[0]!.from) / 2n
  await new BatchSink(scratch.pool, { partitionWidth }).commitBatches(batches)
  await writeIngestStatus(scratch.db, { head: BLOCKS, first: 1 })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await scratch?.close()
  await rm(dir, { recursive: true, force: true })
})

const compact = () => runCommand(['compact', '--network', 'sample', '--data-dir', dir])

test('a full disk ends it with 75 and says what to do', async () => {
  // disk_full, as the server has it.
  await scratch.pool.query(`
    create function fail() returns event_trigger language plpgsql as $$ begin
      raise exception 'could not extend file "base/1/2"' using errcode = '53100';
    end $$;
    create event trigger full_disk on ddl_command_start when tag in ('REINDEX') execute function fail()`)
  const { code, text } = await compact()
  await scratch.pool.query('drop event trigger full_disk')
  expect([code, text]).toEqual([
    75,
    expect.stringMatching(/^The disk of the database is full: could not extend file .* Nothing is lost\./),
  ])
})

test('a second one ends with 75', async () => {
  const second = await oneAtATime(scratch.pool, 'compaction', compact)
  expect(second).toEqual({ code: 75, text: 'Another process does it already.' })
})

test('it says what became smaller, and then that there is nothing to do', async () => {
  const first = await compact()
  expect(first.code).toBe(0)
  expect(first.text.split('\n').length).toBeGreaterThanOrEqual(2)
  for (const line of first.text.split('\n'))
    expect(line).toMatch(/^(transactions|messages)_lt_\d+: \d+\.\d MB of indexes are \d+\.\d MB now$/)
  expect(await compact()).toEqual({ code: 0, text: 'All finished partitions are compact.' })
})

test('a user who does not own the tables gets the name of who may', async () => {
  const name = `reader_${scratch.url.slice(-12)}`
  const url = new URL(scratch.url)
  ;[url.username, url.password] = [name, 'x']
  await scratch.pool.query(`create role ${name} login password 'x' in role pg_read_all_data`)
  await scratch.pool.query(`grant create on schema public to ${name}`)
  await scratch.pool.query(`do $$ begin
    execute format('grant create on database %I to ${name}', current_database()); end $$`)
  await scratch.pool.query('comment on index transactions_lt_0_pkey is null')
  vi.stubEnv('DATABASE_URL', url.href)
  try {
    const { code, text } = await compact()
    expect([code, text]).toEqual([75, expect.stringContaining('Run "shardwalk compact" as the owner')])
  } finally {
    vi.stubEnv('DATABASE_URL', scratch.url)
    await scratch.pool.query(`drop owned by ${name}; drop role ${name}`)
  }
})
