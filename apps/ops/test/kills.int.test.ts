import { type ChildProcess, fork } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { FIXTURE_CHAIN_FOLDER, hasRedisServer, randomFrom, startRedis } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Checksums, checksumsIn, freePort, makeDataDir, untilNothingWaits } from './drill.ts'
import { waitUntil } from './processes.ts'
import { cleanUp, RunningStart } from './running-start.ts'

/** Number of masterchain blocks of the sample network. */
const LAST = 529
const KILLS = Number(process.env['KILLS'] ?? (isLong ? 6 : 3))
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
/** The head moves at a speed at which the run lasts about as long as the kills. */
const SECONDS_PER_KILL = 4

const folders: string[] = []
let expected: Checksums

beforeAll(async () => {
  const { run, dataDir } = await startSample()
  await run.untilIndexed(LAST, 240_000)
  await untilNothingWaits(dataDir)
  expect(await run.stop()).toBe(0)
  expected = await checksumsIn(dataDir)
}, 480_000)
afterAll(() => cleanUp(folders))

async function startOn(
  network: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const dataDir = await makeDataDir(folders)
  const apiPort = await freePort()
  return { dataDir, run: new RunningStart({ dataDir, apiPort, args: ['--network', network, ...args], env }) }
}

const startSample = (args?: readonly string[], env?: Readonly<Record<string, string>>) =>
  startOn('sample', args, env)

type Kill = (run: RunningStart, victim: string) => Promise<boolean>

/** Kills `KILLS` of the victims by chance, then waits until everything is indexed and examined. */
async function disturb(
  { run, dataDir }: Awaited<ReturnType<typeof startOn>>,
  victims: readonly string[],
  kill: Kill,
): Promise<Checksums> {
  console.log(`SEED=${SEED} KILLS=${KILLS}`)
  const random = randomFrom(SEED)
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

async function runWithKills(victims: readonly string[], kill: Kill, env?: Readonly<Record<string, string>>) {
  const speed = Math.max(5, Math.round(LAST / (KILLS * SECONDS_PER_KILL)))
  return disturb(await startSample(['--speed', String(speed)], env), victims, kill)
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
    expect(await runWithKills(victims, (run, victim) => run.kill(victim))).toEqual(expected)
  },
  TIMEOUT_MS,
)

/** A lite server 150 ms away whose head moves as that of mainnet does. */
class DistantNetwork {
  private child: ChildProcess | undefined
  private readonly arguments: readonly string[]

  constructor(port: number) {
    const movesAt = Date.now() + BEFORE_MOVING_MS
    const numbers = [port, ROUND_TRIP_MS, LAST - MOVING_BLOCKS, BLOCKS_PER_SECOND, movesAt]
    this.arguments = [FIXTURE_CHAIN_FOLDER, ...numbers.map(String)]
  }

  /** Returns the global config. */
  async start(): Promise<string> {
    const child = fork(fileURLToPath(new URL('distant-network.ts', import.meta.url)), this.arguments, {
      execArgv: ['--import', 'tsx'],
    })
    this.child = child
    return new Promise((resolve, reject) => {
      child.once('message', (config) => resolve(String(config)))
      child.once('exit', (code) => reject(new Error(`the lite server ended with code ${code}`)))
    })
  }

  kill(): void {
    this.child?.kill('SIGKILL')
  }
}

const ROUND_TRIP_MS = 150
const BLOCKS_PER_SECOND = 2.5
const MOVING_BLOCKS = KILLS * SECONDS_PER_KILL * BLOCKS_PER_SECOND
/** The start of all processes; the backfill goes on for longer than that. */
const BEFORE_MOVING_MS = 6_000

test(
  `after ${KILLS} kills of everything while the head moves ${ROUND_TRIP_MS} ms away and history is filled ` +
    'in, the tables equal those of an undisturbed run',
  async () => {
    const network = new DistantNetwork(await freePort())
    const config = join(await makeDataDir(folders), 'global.config.json')
    await writeFile(config, await network.start())
    try {
      // The recorded chain ends, which is no reason to report a head that stands still.
      const started = await startOn(config, ['--from', 'genesis'], { CHAIN_ENDS: '1' })
      const kill: Kill = async (run, victim) => {
        if (victim !== 'network') return run.kill(victim)
        // A first start that reaches no lite server ends, which is not what this test is about.
        if (!run.pids.has('ingest')) return false
        network.kill()
        await delay(500)
        await network.start()
        return true
      }
      const victims = ['ingest', 'postgres', 'api', 'actions', 'network']
      expect(await disturb(started, victims, kill)).toEqual(expected)
    } finally {
      network.kill()
    }
  },
  TIMEOUT_MS,
)

if (hasRedisServer() || process.env['CI'])
  test(
    `after ${KILLS} losses of the queue in Redis and kills of ingest the tables equal those of an ` +
      'undisturbed run',
    async () => {
      const redis = await startRedis()
      const kill: Kill = async (run, victim) =>
        victim === 'redis' ? redis.restart().then(() => true) : run.kill(victim)
      const checksums = await runWithKills(['redis', 'redis', 'ingest'], kill, { REDIS_URL: redis.url })
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
