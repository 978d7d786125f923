import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BatchSink, writeIngestStatus } from '@shardwalk/db'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { prepareDataDir, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runCommand } from './run-command.ts'

const BLOCKS = 30

let dir: string
let scratch: ScratchDatabase
let archive: EmbeddedPostgres
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'shardwalk-archive-'))
  await chmod(dir, 0o755)
  // Its database has other tables, too, which costs less than to set up a server.
  await prepareDataDir(dir)
  const settings = { fsync: 'off', shared_buffers: '32MB' }
  archive = await startEmbeddedPostgres({ dataDir: dir, settings })
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
  await archive?.stop()
  await rm(dir, { recursive: true, force: true })
})

const onSample = (...args: string[]) => runCommand([...args, '--network', 'sample', '--data-dir', dir])
const run = (...args: string[]) => onSample('archive', ...args)

test('partitions are moved, listed and brought back, and what is not possible is said', async () => {
  const all = ['1', String(BLOCKS - 1)]
  expect(await run(...all)).toMatchObject({ code: 1, text: expect.stringContaining('--to <URL> or --back') })
  expect(await run('1', String(BLOCKS), '--to', archive.url)).toMatchObject({
    code: 1,
    text: expect.stringContaining(`block ${BLOCKS + 1} is not indexed`),
  })
  // Everybody on the machine can read command lines.
  const url = new URL(archive.url)
  const file = join(dir, 'pgpass')
  await writeFile(file, `${url.hostname}:${url.port}:*:${url.username}:${url.password}\n`, { mode: 0o600 })
  vi.stubEnv('PGPASSFILE', file)
  url.password = ''
  const moved = await run(...all, '--to', url.href)
  vi.stubEnv('PGPASSFILE', '')
  expect([moved.code, moved.text]).toEqual([
    0,
    expect.stringMatching(/^lt 0 to \d+: \d+ rows, \d+\.\d MB moved/),
  ])
  expect(await run()).toMatchObject({
    code: 0,
    text: expect.stringMatching(/: archived, shardwalk_archive_127/),
  })
  // As if the server had had another port: no block could be written.
  await scratch.pool.query(`alter server shardwalk_self options (set port '1')`)
  expect(await onSample('reclassify', String(BLOCKS))).toMatchObject({ code: 0 })
  const { rows } = await scratch.pool.query(
    `select 'port=' || current_setting('port') = any (srvoptions) as follows from pg_foreign_server
     where srvname = 'shardwalk_self'`,
  )
  expect(rows).toEqual([{ follows: true }])
  expect((await run(...all, '--back')).code).toBe(0)
  expect(await run()).toEqual({ code: 0, text: '' })
})
