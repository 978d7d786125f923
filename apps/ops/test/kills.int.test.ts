import { type ChildProcess, fork } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import {
  claimSampleNetwork,
  FIXTURE_CHAIN_FOLDER,
  hasRedisServer,
  openSlowLink,
  randomFrom,
  type SlowLink,
  shuffled,
  startRedis,
} from '@shardwalk/testkit'
import { freePort } from '@shardwalk/testkit/free-port'
import { checksumsOfAll, classifiedBeginning } from '@shardwalk/testkit/refresh-chain'
import { COMPILED_ROOT, isLong, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  beginningOfSample,
  type Checksums,
  checksumsIn,
  makeDataDir,
  printDifferences,
  untilNothingWaits,
  whileRunning,
} from './drill.ts'
import { busiestAccounts, PostedEvents } from './posted-events.ts'
import { waitUntil } from './processes.ts'
import { cleanUp, RunningStart } from './running-start.ts'

/** All masterchain blocks of the sample network, or in short runs the first, which have most contracts. */
const LAST = isLong ? 529 : 40
/** Of each long run. A short one kills every victim once. */
const KILLS = Number(process.env['KILLS'] ?? 6)
const SEED = testSeed()
/** The head moves at a speed at which the run lasts about as long as the kills. */
const SECONDS_PER_KILL = isLong ? 4 : 2
const hasRedis = hasRedisServer() || process.env['CI'] !== undefined
if (!hasRedis)
  console.warn(
    'redis-server is not installed: losses of the queue in Redis are NOT tested here (they are when CI ' +
      'is set)',
  )

const folders: string[] = []
/** Of the recorded chain. */
let chain = FIXTURE_CHAIN_FOLDER
let expected: Checksums
let busiest: readonly string[] = []
/** Folder of the undisturbed run of all processes. */
let undisturbedDir: string | undefined

/** Of all processes together, or, in short runs, of one process that indexed, examined and classified. */
beforeAll(async () => {
  expected = isLong ? await undisturbed() : await ofOneProcess()
})
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

async function undisturbed(): Promise<Checksums> {
  const { run, dataDir } = await startSample()
  await run.untilIndexed(LAST, 240_000)
  await untilNothingWaits(dataDir)
  expect(await run.stop()).toBe(0)
  undisturbedDir = dataDir
  return checksumsIn(dataDir)
}

async function ofOneProcess(): Promise<Checksums> {
  chain = await beginningOfSample(folders, LAST)
  const database = await classifiedBeginning(chain, LAST)
  try {
    await claimSampleNetwork(database)
    busiest = await busiestAccounts(database)
    return await checksumsOfAll(database)
  } finally {
    await database.close()
  }
}

type Kill = (run: RunningStart, victim: string) => Promise<boolean>

type Started = Awaited<ReturnType<typeof startOn>>

/** Kills the victims one after the other, then waits until everything is indexed and examined. */
async function disturb(
  { run, dataDir }: Started,
  victims: readonly string[],
  kill: Kill,
  last: (dataDir: string) => Promise<void> = async () => {},
): Promise<Checksums> {
  console.log(`SEED=${SEED} ${victims.join(' ')}`)
  for (const victim of victims) {
    do {
      await delay(500 + random() * (SECONDS_PER_KILL - 1) * 2_000)
      run.assertAlive()
    } while (!(await kill(run, victim)))
  }
  await run.untilIndexed(LAST, 180_000)
  await untilNothingWaits(dataDir)
  await last(dataDir)
  expect(await run.stop()).toBe(0)
  const found = await checksumsIn(dataDir)
  if (undisturbedDir) await printDifferences([undisturbedDir, dataDir], [expected, found])
  return found
}

const random = randomFrom(SEED)
const someOf = (victims: readonly string[]): string[] =>
  Array.from({ length: KILLS }, () => victims[Math.floor(random() * victims.length)]!)

async function runWithKills(victims: readonly string[], kill: Kill, env?: Readonly<Record<string, string>>) {
  const speed = Math.max(5, Math.round(LAST / (victims.length * SECONDS_PER_KILL)))
  return disturb(await startSample(['--speed', String(speed)], env), victims, kill)
}

/** Kills three PostgreSQL servers as soon as each has started. */
async function killAtStart({ run, dataDir }: Started): Promise<void> {
  const killed = new Set<number>()
  await waitUntil('three servers were killed', async () => {
    run.assertAlive()
    const pid = (await findEmbeddedPostgres(dataDir))?.pid
    if (pid !== undefined && !killed.has(pid) && (await run.kill('postgres'))) killed.add(pid)
    return killed.size === 3
  })
}

const TIMEOUT_MS = 240_000 + KILLS * SECONDS_PER_KILL * 4_000

/** A lite server 150 ms away whose head moves, as that of mainnet does if tests are long. */
class DistantNetwork {
  private child: ChildProcess | undefined

  private constructor(
    private readonly link: SlowLink,
    private readonly processArguments: readonly string[],
  ) {}

  static async open(): Promise<DistantNetwork> {
    const port = await freePort()
    const link = await openSlowLink({ host: '127.0.0.1', port, roundTripMs: ROUND_TRIP_MS })
    const numbers = [port, LAST - MOVING_BLOCKS, BLOCKS_PER_SECOND, Date.now() + BEFORE_MOVING_MS]
    return new DistantNetwork(link, [COMPILED_ROOT, chain, ...numbers.map(String)])
  }

  /** Starts the lite server; returns a global config with the way to it. */
  async start(): Promise<string> {
    const script = fileURLToPath(new URL('distant-network.mjs', import.meta.url))
    const child = fork(script, this.processArguments, { execArgv: [] })
    this.child = child
    const config = await new Promise<string>((resolve, reject) => {
      child.once('message', (config) => resolve(String(config)))
      child.once('exit', (code) => reject(new Error(`the lite server ended with code ${code}`)))
    })
    const reachable = JSON.parse(config) as { liteservers: { port: number }[] }
    for (const server of reachable.liteservers) server.port = this.link.port
    return JSON.stringify(reachable)
  }

  kill(): void {
    this.child?.kill('SIGKILL')
  }

  close(): void {
    this.kill()
    this.link.close()
  }
}

const ROUND_TRIP_MS = 150
/** That of mainnet, or in short runs as many as leave most of the blocks to the backfill. */
const BLOCKS_PER_SECOND = isLong ? 2.5 : 1.5
const MOVING_BLOCKS = KILLS * SECONDS_PER_KILL * BLOCKS_PER_SECOND
/** The start of all processes; the backfill goes on for longer than that. */
const BEFORE_MOVING_MS = 6_000

/** Runs on the distant network, which is killed and started again by the name of `network`. */
async function disturbFarAway(
  victims: readonly string[],
  {
    env = {},
    kill = (run, victim) => run.kill(victim),
    first = async () => {},
    last,
  }: {
    readonly env?: Readonly<Record<string, string>>
    readonly kill?: Kill
    readonly first?: (started: Started) => Promise<void>
    readonly last?: (dataDir: string) => Promise<void>
  } = {},
): Promise<Checksums> {
  const network = await DistantNetwork.open()
  const config = join(await makeDataDir(folders), 'global.config.json')
  await writeFile(config, await network.start())
  try {
    // The recorded chain ends, which is no reason to report a head that stands still.
    const started = await startOn(config, ['--from', 'genesis'], { CHAIN_ENDS: '1', ...env })
    await first(started)
    const killAny: Kill = async (run, victim) => {
      if (victim !== 'network') return kill(run, victim)
      // A first start that reaches no lite server ends, which is not what this test is about.
      if (!run.pids.has('ingest')) return false
      network.kill()
      await delay(500)
      await network.start()
      return true
    }
    return await disturb(started, victims, killAny, last)
  } finally {
    network.close()
  }
}

async function withRedis<T>(work: (env: Record<string, string>, kill: Kill) => Promise<T>): Promise<T> {
  const redis = await startRedis()
  try {
    return await work({ REDIS_URL: redis.url }, (run, victim) =>
      victim === 'redis' ? redis.restart().then(() => true) : run.kill(victim),
    )
  } finally {
    await redis.close()
  }
}

test.runIf(!isLong)(
  'when PostgreSQL was killed at three starts, and then every process and the queue in Redis while the ' +
    `head moves ${ROUND_TRIP_MS} ms away and history is filled in, the tables equal those of an ` +
    'undisturbed run, and webhooks received everything in them',
  async () => {
    const posted = await PostedEvents.open(busiest)
    const first = async (started: Started) => {
      await killAtStart(started)
      const hasTables = () =>
        whileRunning(started.dataDir, (db) => posted.ask(db)).then(
          () => true,
          () => false,
        )
      await waitUntil('a webhook can be added', hasTables, { everyMs: 400 })
    }
    const last = (dataDir: string) =>
      whileRunning(dataDir, async (database) => expect(await posted.missing(database)).toEqual([]))
    const own = { WEBHOOK_PRIVATE_TARGETS: 'on' }
    const victims = shuffled(['ingest', 'postgres', 'api', 'actions', 'network'], random)
    const disturbed = hasRedis
      ? withRedis((env, kill) =>
          disturbFarAway([...victims, 'redis'], { env: { ...env, ...own }, kill, first, last }),
        )
      : disturbFarAway(victims, { env: own, first, last })
    expect(await disturbed.finally(() => posted.close())).toEqual(expected)
  },
  TIMEOUT_MS,
)

test.runIf(isLong)(
  '`start` recovers when PostgreSQL is no longer killed right after starting',
  async () => {
    const started = await startSample()
    await killAtStart(started)
    expect(await disturb(started, [], async () => true)).toEqual(expected)
  },
  TIMEOUT_MS,
)

test.runIf(isLong)(
  `after ${KILLS} kills of ingest, PostgreSQL, API and lite server every table equals that of ` +
    'an undisturbed run',
  async () => {
    const victims = someOf(['ingest', 'ingest', 'postgres', 'api', 'replay'])
    expect(await runWithKills(victims, (run, victim) => run.kill(victim))).toEqual(expected)
  },
  TIMEOUT_MS,
)

test.runIf(isLong)(
  `after ${KILLS} kills of everything while the head moves ${ROUND_TRIP_MS} ms away and history is filled ` +
    'in, the tables equal those of an undisturbed run',
  async () => {
    const victims = someOf(['ingest', 'postgres', 'api', 'actions', 'network'])
    expect(await disturbFarAway(victims)).toEqual(expected)
  },
  TIMEOUT_MS,
)

test.runIf(isLong && hasRedis)(
  `after ${KILLS} losses of the queue in Redis and kills of ingest the tables equal those of an ` +
    'undisturbed run',
  async () => {
    const victims = someOf(['redis', 'redis', 'ingest'])
    expect(await withRedis((env, kill) => runWithKills(victims, kill, env))).toEqual(expected)
  },
  TIMEOUT_MS,
)
