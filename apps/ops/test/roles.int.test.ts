import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createDb, type DatabaseHandle } from '@shardwalk/db'
import { findEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimPort } from '../src/ports.ts'
import { beginningOfSample, databaseUrl, makePreparedDataDir } from './drill.ts'
import { waitUntil } from './processes.ts'
import { cleanUp, RunningStart } from './running-start.ts'

/** The first master of a jetton is in block 18, the second in block 23. */
const LAST = isLong ? 30 : 20
/** Reads a list whose metadata was never fetched. */
const LIST = '/api/v3/jetton/masters?limit=5'

const folders: string[] = []
let dataDir: string
let apiPort: number
let run: RunningStart
let owner: DatabaseHandle

beforeAll(async () => {
  dataDir = await makePreparedDataDir(folders)
  const network = await beginningOfSample(folders, LAST)
  apiPort = await claimPort('127.0.0.1', 0, 'API_PORT')
  // Nothing is fetched from contracts' addresses on the machine of the test.
  const env = { METADATA_FETCH: 'on', METADATA_DENIED_NETWORKS: '0.0.0.0/0,::/0' }
  run = new RunningStart({ dataDir, apiPort, args: ['--network', network], env })
  await run.untilIndexed(LAST, 240_000)
  const server = await findEmbeddedPostgres(dataDir)
  const url = await databaseUrl(server!.url)
  owner = createDb({ url, max: 2, applicationName: 'test' })
})
afterAll(async () => {
  await owner?.close()
  await run?.stop()
  await cleanUp(folders)
})

test('no process of `start` is the owner: the API is the reader, the others are the writer', async () => {
  const { rows } = await owner.pool.query<{ application: string; role: string }>(
    `select distinct application_name as application, usename as role from pg_stat_activity
     where datname = current_database() and application_name like 'shardwalk%'`,
  )
  const roles = Object.fromEntries(rows.map(({ application, role }) => [application, role]))
  expect(roles['shardwalk api']).toBe('shardwalk_reader')
  expect(Object.keys(roles).length).toBeGreaterThan(3)
  for (const [application, role] of Object.entries(roles))
    expect(role, application).toBe(
      application.startsWith('shardwalk api') ? 'shardwalk_reader' : 'shardwalk_writer',
    )
  const superusers = await owner.pool.query(
    `select rolname from pg_roles
     where rolname like 'shardwalk\\_%' and (rolsuper or rolcreaterole or rolcreatedb)`,
  )
  expect(superusers.rows).toEqual([])
})

test('routes that write work as the reader: metadata is asked for', async () => {
  const base = `http://127.0.0.1:${apiPort}`
  await owner.pool.query('delete from metadata_queue')
  await owner.pool.query('delete from address_metadata')
  const isAsked = async () => {
    expect((await fetch(base + LIST)).status).toBe(200)
    const { rows } = await owner.pool.query<{ n: bigint }>(
      'select (select count(*) from metadata_queue) + (select count(*) from address_metadata) as n',
    )
    return rows[0]!.n > 0n
  }
  await waitUntil('metadata is asked for', isAsked, { everyMs: 400 })
  expect(run.lines.join('\n')).not.toMatch(/permission denied/)
})

test('passwords are in no log and in no file that others may read', async () => {
  const file = join(dataDir, 'postgres-password')
  expect((await stat(file)).mode & 0o077).toBe(0)
  const log = run.lines.join('\n') + (await readFile(join(dataDir, 'postgres.log'), 'utf8'))
  expect(log).not.toContain((await readFile(file, 'utf8')).trim())
  expect(log).not.toMatch(/SCRAM-SHA-256\$/)
})
