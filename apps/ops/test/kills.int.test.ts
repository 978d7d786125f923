import { chmod, mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createDb, type Db, derivedTables, tableChecksums } from '@shardwalk/db'
import { findEmbeddedPostgres, startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { hasRedisServer, randomFrom, startRedis } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitUntil } from './processes.ts'
import { cleanUp, RunningStart } from './running-start.ts'

/** Number of masterchain blocks of the sample network. */
const LAST = 529
const KILLS = Number(process.env['KILLS'] ?? (isLong ? 6 : 3))
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
/** The head moves at a speed at which the run lasts about as long as the kills. */
const SECONDS_PER_KILL = 4

const folders: string[] = []
let expected: Awaited<ReturnType<typeof checksumsIn>>

beforeAll(async () => {
  const { run, dataDir } = await startSample()
  await run.untilIndexed(LAST, 240_000)
  await untilNothingWaits(dataDir)
  expect(await run.stop()).toBe(0)
  expected = await checksumsIn(dataDir)
}, 480_000)
afterAll(() => cleanUp(folders))

async function startSample(args: readonly string[] = [], env?: Readonly<Record<string, string>>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'shardwalk-kills-'))
  await chmod(dataDir, 0o755)
  folders.push(dataDir)
  const apiPort = await freePort()
  return { dataDir, run: new RunningStart({ dataDir, apiPort, args: ['--network', 'sample', ...args], env }) }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

async function checksumsIn(dataDir: string) {
  const server = await startEmbeddedPostgres({ dataDir })
  try {
    return await withDb(server.url, async (db) =>
      Object.fromEntries(await tableChecksums(db, await derivedTables(db))),
    )
  } finally {
    await server.stop()
  }
}

/** Contracts are examined and traces classified after indexing, which adds accounts, codes and states. */
async function untilNothingWaits(dataDir: string): Promise<void> {
  const server = await findEmbeddedPostgres(dataDir)
  if (!server) throw new Error('PostgreSQL is not running')
  await withDb(server.url, async (db) => {
    let waiting: bigint | undefined
    const isIdle = async () => {
      const { rows } = await sql<{ waiting: bigint }>`
        select (select count(*) from refresh_queue) + (select count(*) from event_queue)
          + (select count(*) from unclassified_traces) + (select count(*) from changed_facts) as waiting
      `.execute(db)
      waiting = rows[0]?.waiting
      return waiting === 0n
    }
    const seen = () => `${waiting} still waiting`
    await waitUntil('contracts, batches and traces are examined', isIdle, { timeoutMs: 180_000, seen })
  })
}

async function withDb<T>(serverUrl: string, read: (db: Db) => Promise<T>): Promise<T> {
  const url = new URL(serverUrl)
  url.pathname = '/shardwalk_sample'
  const { db, close } = createDb({ url: url.href, statementTimeoutMs: 60_000, connectTimeoutMs: 10_000 })
  try {
    return await read(db)
  } finally {
    await close()
  }
}

interface Disturbed {
  readonly victims: readonly string[]
  readonly kill: (run: RunningStart, victim: string) => Promise<boolean>
  readonly env?: Readonly<Record<string, string>>
}

async function runWithKills({ victims, kill, env }: Disturbed) {
  console.log(`SEED=${SEED} KILLS=${KILLS}`)
  const random = randomFrom(SEED)
  const speed = Math.max(5, Math.round(LAST / (KILLS * SECONDS_PER_KILL)))
  const { run, dataDir } = await startSample(['--speed', String(speed)], env)
  for (let kills = 0; kills < KILLS; ) {
    await delay(500 + random() * (SECONDS_PER_KILL - 1) * 2_000)
    const victim = victims[Math.floor(random() * victims.length)]!
    run.assertAlive()
    if (await kill(run, victim)) kills++
  }
  await run.untilIndexed(LAST, 180_000)
  await untilNothingWaits(dataDir)
  expect(await run.stop()).toBe(0)
  return checksumsIn(dataDir)
}

test('`start` recovers when PostgreSQL is no longer killed right after starting', async () => {
  const { run, dataDir } = await startSample()
  const killed = new Set<number>()
  await waitUntil(
    'three servers were killed',
    async () => {
      run.assertAlive()
      const pid = (await findEmbeddedPostgres(dataDir))?.pid
      if (pid !== undefined && !killed.has(pid) && (await run.kill('postgres'))) killed.add(pid)
      return killed.size === 3
    },
    { timeoutMs: 60_000 },
  )
  await run.untilIndexed(LAST, 240_000)
  await untilNothingWaits(dataDir)
  expect(await run.stop()).toBe(0)
  expect(await checksumsIn(dataDir)).toEqual(expected)
}, 400_000)

const TIMEOUT_MS = 240_000 + KILLS * SECONDS_PER_KILL * 4_000

test(
  `after ${KILLS} kills of ingest, PostgreSQL, API and lite server every table equals that of ` +
    'an undisturbed run',
  async () => {
    const victims = ['ingest', 'ingest', 'postgres', 'api', 'replay']
    expect(await runWithKills({ victims, kill: (run, victim) => run.kill(victim) })).toEqual(expected)
  },
  TIMEOUT_MS,
)

if (hasRedisServer() || process.env['CI'])
  test(
    `after ${KILLS} losses of the queue in Redis and kills of ingest the tables equal those of an ` +
      'undisturbed run',
    async () => {
      const redis = await startRedis()
      const kill = async (run: RunningStart, victim: string) =>
        victim === 'redis' ? redis.restart().then(() => true) : run.kill(victim)
      const checksums = await runWithKills({
        victims: ['redis', 'redis', 'ingest'],
        kill,
        env: { REDIS_URL: redis.url },
      })
      await redis.close()
      expect(checksums).toEqual(expected)
    },
    TIMEOUT_MS,
  )
else
  console.warn(
    'redis-server is not installed: losses of the queue in Redis are NOT tested here (they are when CI ' +
      'is set)',
  )
