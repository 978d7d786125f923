import { execFileSync } from 'node:child_process'
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

/** Five seconds are guaranteed; the rest is for busy machines. */
const END_MS = 15_000
/** The first master of a jetton is in block 18, the second in block 23. */
const LAST = isLong ? 30 : 20
/** Reads a list whose metadata was never fetched. */
const LIST = '/api/v3/jetton/masters?limit=5'

const folders: string[] = []
let dataDir: string
let network: string
let apiPort: number
/** The newest `start`, of which the tests are about: each start of all processes takes seconds. */
let run: RunningStart
let owner: DatabaseHandle | undefined

beforeAll(async () => {
  dataDir = await makePreparedDataDir(folders)
  network = await beginningOfSample(folders, LAST)
})
afterAll(async () => {
  await owner?.close()
  await cleanUp(folders)
})

/** Processes whose command line or working folder is in the data folder, or that are among `pids`. */
function running(pids: readonly number[]): readonly string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => {
    const [pid, state = ''] = line.trim().split(/\s+/)
    return !state.startsWith('Z') && (pids.includes(Number(pid)) || line.includes(`${dataDir}/postgres`))
  })
}

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  apiPort = await claimPort('127.0.0.1', 0, 'API_PORT')
  run = new RunningStart({ dataDir, apiPort, args: ['--network', network, ...args], env })
  await waitUntil(
    'it indexes',
    async () => {
      run.assertAlive()
      const url = `http://127.0.0.1:${apiPort}/readyz`
      return (await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined))?.ok === true
    },
    { timeoutMs: 300_000, everyMs: 300, seen: () => run.lines.slice(-20).join('\n') },
  )
}

async function pidsOfAll(): Promise<readonly number[]> {
  const pids = [...run.pids.values(), (await findEmbeddedPostgres(dataDir))?.pid ?? 0]
  expect(pids.length).toBeGreaterThanOrEqual(5)
  return pids
}

/** One child is frozen: it cannot end by itself. */
async function killStart(): Promise<void> {
  process.kill(run.pids.get('actions')!, 'SIGSTOP')
  await run.killCommand()
}

test('right after start was killed a new start works', async () => {
  await start(['--speed', '2'])
  await pidsOfAll()
  await killStart()
  // Nothing is fetched from contracts' addresses on the machine of the test.
  await start([], { METADATA_FETCH: 'on', METADATA_DENIED_NETWORKS: '0.0.0.0/0,::/0' })
  await run.untilIndexed(LAST, 240_000)
  const server = await findEmbeddedPostgres(dataDir)
  const url = await databaseUrl(server!.url)
  owner = createDb({ url, max: 2, applicationName: 'test' })
}, 900_000)

test('no process of `start` is the owner: the API is the reader, the others are the writer', async () => {
  const { rows } = await owner!.pool.query<{ application: string; role: string }>(
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
  const superusers = await owner!.pool.query(
    `select rolname from pg_roles
     where rolname like 'shardwalk\\_%' and (rolsuper or rolcreaterole or rolcreatedb)`,
  )
  expect(superusers.rows).toEqual([])
})

test('routes that write work as the reader: metadata is asked for', async () => {
  const base = `http://127.0.0.1:${apiPort}`
  await owner!.pool.query('delete from metadata_queue')
  await owner!.pool.query('delete from address_metadata')
  const isAsked = async () => {
    expect((await fetch(base + LIST)).status).toBe(200)
    const { rows } = await owner!.pool.query<{ n: bigint }>(
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

test('five seconds after start is killed none of its processes runs', async () => {
  await owner!.close()
  owner = undefined
  if (isLong) {
    expect(await run.stop()).toBe(0)
    await start([])
  }
  const pids = await pidsOfAll()
  await killStart()
  await waitUntil('nothing runs', () => running(pids).length === 0, {
    timeoutMs: END_MS,
    seen: () => running(pids).join('\n'),
  })
  const log = await readFile(join(dataDir, 'postgres.log'), 'utf8').catch(() => '')
  expect(log).not.toContain('PANIC')
}, 900_000)
