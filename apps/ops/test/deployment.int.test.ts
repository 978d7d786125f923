import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Replay, ReplayChain, ReplayFullNodes, startReplay, withDht } from '@shardwalk/replay'
import { Recording } from '@shardwalk/sources'
import {
  endWithTests,
  FIXTURE_CHAIN_FOLDER,
  hasRedisServer,
  type RedisServer,
  ROLE_PASSWORDS,
  type ScratchDatabase,
  scratchDatabase,
  startRedis,
  urlOfRole,
} from '@shardwalk/testkit'
import { COMPILED_ROOT, isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimPort } from '../src/ports.ts'
import { beginningOfSample, makeDataDir } from './drill.ts'
import { isInstalled, metricsIn, RunningPrometheus, unknownIn, watchedExpressions } from './monitoring.ts'
import { waitUntil, within } from './processes.ts'
import { cleanUp } from './running-start.ts'

/** An external message to a wallet. */
const MESSAGE =
  'te6cckEBAgEAtQAB4YgAFd4NkGReTZrLBY+gkjJP2E90b9Fz3NQyMZWkm+qzSDwCfStl1tEeG+FFK6hVbPZJNf8PEX' +
  'rXGVpYb5xbhZfDvV6O/AJ6lNgtTy7pahsZWYueYuhDyA5qnjMzMuGjHtxQIU1NGLtYDExAAAAAMAAcAQB+YgB2bGEZ' +
  'JppK+EJekBw7F8iRp6LXhMDuYG9rx6LAqyqNsaDuaygAAAAAAAAAAAAAAAAAAAAAAAB0aGUgZW5kAX1RTA=='
/** All of the sample, or its beginning, whose state a lite server has at once. */
const LAST = isLong ? 529 : 20
const FIRST = LAST - (isLong ? 9 : 4)

const folders: string[] = []
/** Of the recorded chain. */
let chain = FIXTURE_CHAIN_FOLDER
let scratch: ScratchDatabase
let redis: RedisServer | undefined
let replay: Replay
let recording: Recording
let fullNodes: ReplayFullNodes
/** Publishes the global config. */
let web: Server
let dir: string
const processes: Started[] = []

/** One container: a process type with its own environment and its own data folder. */
class Started {
  readonly lines: string[] = []
  readonly exited: Promise<number | null>
  private readonly child: ChildProcess

  constructor(command: string, env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [join(COMPILED_ROOT, 'scripts/shardwalk.mjs'), command], {
      // Nothing of the folder this test runs in.
      cwd: dir,
      env: {
        ...{ PATH: process.env['PATH'], NODE_OPTIONS: process.env['NODE_OPTIONS'] },
        ...{ HOME: dir, LOG_FORMAT: 'json', ...env },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    endWithTests(this.child)
    this.exited = new Promise((resolve) => this.child.once('exit', resolve))
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk) => this.lines.push(String(chunk)))
    processes.push(this)
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM')
    await within('the end of a process', 60_000, this.exited).catch((error: unknown) => {
      this.child.kill('SIGKILL')
      throw error
    })
  }
}

beforeAll(async () => {
  dir = await makeDataDir(folders)
  if (!isLong) chain = await beginningOfSample(folders, LAST)
  scratch = await scratchDatabase({ migrated: false })
  redis = hasRedisServer() ? await startRedis() : undefined
  replay = await startReplay({ recording: chain, runsMessages: false })
  recording = await Recording.open(chain)
  fullNodes = await ReplayFullNodes.start({ chain: new ReplayChain(recording) })
  web = await publish(withDht(replay.globalConfig, fullNodes.dhtConfig))
})
afterAll(async () => {
  await Promise.allSettled(processes.map((one) => one.stop()))
  web.close()
  await replay.close()
  await fullNodes.close()
  await recording.close()
  await redis?.close()
  await scratch.close()
  await cleanUp(folders)
})

async function publish(config: string, port = 0): Promise<Server> {
  const server = createServer((_request, response) => response.end(config))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

const configUrl = () => `http://127.0.0.1:${(web.address() as AddressInfo).port}/global.config.json`

/** The variables that infra/compose.yaml gives to every service. */
const shared = (name: string, role: 'writer' | 'reader') => ({
  NETWORK: configUrl(),
  DATABASE_URL: urlOfRole(scratch.url, role),
  ...(redis && { REDIS_URL: redis.url }),
  DATA_DIR: join(dir, `data-${name}`),
})

const freePort = () => claimPort('127.0.0.1', 0, 'a test')
const output = (): string =>
  processes
    .map((one) => one.lines.join(''))
    .join('\n---\n')
    .slice(-6_000)

async function get(url: string): Promise<{ status: number; body: unknown; text: string }> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  const text = await reply.text()
  const isJson = reply.headers.get('content-type')?.includes('json')
  return { status: reply.status, text, body: isJson ? JSON.parse(text) : undefined }
}

const answers =
  (url: string, status = 200) =>
  () =>
    get(url).then(
      (reply) => reply.status === status,
      () => false,
    )

async function readerUrl(): Promise<string> {
  const name = `reader_${process.pid}`
  await scratch.pool.query(`create role ${name} login password 'reader'`)
  await scratch.pool.query(`grant select on all tables in schema public to ${name}`)
  const url = new URL(scratch.url)
  url.username = name
  url.password = 'reader'
  return url.toString()
}

test('the services of the compose file, each with its own folders, find the network by its URL', async () => {
  const ports = await freePorts()
  await migrate()
  await startServices(ports)

  const base = `http://127.0.0.1:${ports.api}`
  await expectIndexed(base)
  await expectLiteServers(base)
  for (const name of ['actions', 'metadata'] as const)
    await waitUntil(`${name} is healthy`, answers(`http://127.0.0.1:${ports[name]}/healthz`), WAIT)
  expect((await get(`${base}/metrics`)).status).toBe(404)
  const metrics = await get(`http://127.0.0.1:${ports.metrics}/metrics`)
  expect(metrics.text).toMatch(new RegExp(`^shardwalk_indexed_seqno ${LAST}$`, 'm'))
  expect(output()).not.toMatch(/permission denied/)
  await expectMonitored({
    'shardwalk-api': ports.metrics,
    'shardwalk-ingest': ports.ingest,
    'shardwalk-actions': ports.actions,
    'shardwalk-metadata': ports.metadata,
  })
})

const WAIT = { seen: output }

interface Ports {
  readonly ingest: number
  readonly api: number
  /** Of the API. */
  readonly metrics: number
  readonly actions: number
  readonly metadata: number
}

const freePorts = async (): Promise<Ports> => ({
  ingest: await freePort(),
  api: await freePort(),
  metrics: await freePort(),
  actions: await freePort(),
  metadata: await freePort(),
})

async function migrate(): Promise<void> {
  const migration = new Started('migrate', {
    ...shared('migrate', 'writer'),
    DATABASE_URL: scratch.url,
    DATABASE_WRITER_PASSWORD: ROLE_PASSWORDS.writer,
    DATABASE_READER_PASSWORD: ROLE_PASSWORDS.reader,
  })
  expect(await within('the migration', 60_000, migration.exited), output()).toBe(0)
}

async function startServices(ports: Ports): Promise<void> {
  // The API does not depend on ingest.
  new Started('api', {
    ...shared('api', 'reader'),
    API_PORT: String(ports.api),
    METRICS_PORT: String(ports.metrics),
  })
  new Started('ingest', {
    ...shared('ingest', 'writer'),
    INDEX_FROM: String(FIRST),
    // So that it has all metrics.
    SOURCE: 'auto',
    INGEST_PORT: String(ports.ingest),
    DECODE_THREADS: '1',
  })
  await waitUntil('ingest is healthy', answers(`http://127.0.0.1:${ports.ingest}/healthz`), WAIT)
  new Started('actions', { ...shared('actions', 'writer'), ACTIONS_PORT: String(ports.actions) })
  new Started('metadata', {
    ...shared('metadata', 'writer'),
    METADATA_FETCH: 'on',
    METADATA_PORT: String(ports.metadata),
  })
}

async function expectIndexed(base: string): Promise<void> {
  await waitUntil('everything is indexed', answers(`${base}/readyz?synced=1`), WAIT)
  expect((await get(`${base}/api/v3/masterchainInfo`)).body).toMatchObject({
    first: { seqno: FIRST },
    last: { seqno: LAST },
  })
}

/** API v2 reads from the lite server, and sends to it. */
async function expectLiteServers(base: string): Promise<void> {
  await waitUntil('v2 answers', answers(`${base}/api/v2/getMasterchainInfo`), WAIT)
  expect((await get(`${base}/api/v2/getMasterchainInfo`)).body).toMatchObject({
    ok: true,
    result: { last: { seqno: LAST } },
  })
  // The lite server computes its newest state at the first query for it.
  const account = `${base}/api/v2/getAddressBalance?address=-1:${'3'.repeat(64)}`
  await waitUntil('v2 reads accounts', answers(account), WAIT)
  const sent = await send(base)
  expect(sent.status, sent.text).toBe(200)
  // On a busy machine the API asks again, and gets a duplicate, while the first message is still run.
  await waitUntil('the message is accepted', async () => replay.sentMessages.length === 1, WAIT)
  const remembered = async () => (await scratch.pool.query('select 1 from sent_messages')).rowCount === 1
  await waitUntil('the message is remembered', remembered, WAIT)
}

/** Panels of what did not happen: nothing was refused, no job failed, no answer was long, the head stood. */
const MAY_BE_EMPTY = new Set([
  ...['Refused', 'Failures and take-overs of jobs', 'Rates of single full nodes'],
  'Age of new blocks when they are complete',
])

/** Every expression of dashboards and alerts is about metrics that these processes have, and is evaluated. */
async function expectMonitored(ports: Readonly<Record<string, number>>): Promise<void> {
  const watched = watchedExpressions()
  expect(watched.length).toBeGreaterThan(40)
  const texts: string[] = []
  for (const port of Object.values(ports)) texts.push((await get(`http://127.0.0.1:${port}/metrics`)).text)
  const metrics = metricsIn(texts.join('\n'))
  const unknown = watched.flatMap(({ of, expr }) => unknownIn(expr, metrics).map((name) => `${of}: ${name}`))
  expect(unknown).toEqual([])
  if (!isInstalled('prometheus')) return
  const targets = Object.entries(ports).map(([job, port]) => [job, `127.0.0.1:${port}`])
  const prometheus = await RunningPrometheus.start(await freePort(), Object.fromEntries(targets))
  try {
    const empty: string[] = []
    for (const { of, expr, isAlert } of watched) {
      const series = await prometheus.query(expr)
      if (series.length === 0 && !isAlert && !MAY_BE_EMPTY.has(of)) empty.push(`${of}: ${expr}`)
    }
    expect(empty).toEqual([])
    expect(await prometheus.unhealthyRules()).toEqual([])
  } finally {
    await prometheus.stop()
  }
}

test('an API with read access only serves v3, and v2 and messages once it finds its network', async () => {
  const [apiPort, configPort] = [await freePort(), await freePort()]
  const base = `http://127.0.0.1:${apiPort}`
  const api = new Started('api', {
    NETWORK: `http://127.0.0.1:${configPort}/global.config.json`,
    DATABASE_READ_URL: await readerUrl(),
    DATA_DIR: join(dir, 'data-reader'),
    API_PORT: String(apiPort),
  })
  const wait = { seen: output }
  await waitUntil('v3 answers', answers(`${base}/api/v3/masterchainInfo`), wait)
  expect((await get(`${base}/api/v3/masterchainInfo`)).body).toMatchObject({ last: { seqno: LAST } })
  expect((await get(`${base}/api/v2/getMasterchainInfo`)).status).toBe(542)

  await replay.close()
  replay = await startReplay({ recording: chain, runsMessages: false, port: replay.port })
  const found = await publish(replay.globalConfig, configPort)
  try {
    await waitUntil('v2 answers', answers(`${base}/api/v2/getMasterchainInfo`), wait)
    await waitUntil('the message is sent', async () => (await send(base)).status === 200, wait)
  } finally {
    found.close()
  }
  expect(api.lines.join('')).not.toMatch(/permission denied/)
})

test('tables that are not migrated end an API with exit code 75 and advice', async () => {
  const empty = await scratchDatabase({ migrated: false })
  try {
    const api = new Started('api', {
      ...shared('empty', 'reader'),
      DATABASE_URL: empty.url,
      DATABASE_WAIT_SECONDS: '0',
      API_PORT: String(await freePort()),
    })
    expect(await within('the end', 60_000, api.exited)).toBe(75)
    expect(api.lines.join('')).toContain('run "shardwalk migrate"')
    const { rows } = await empty.pool.query('select 1 from pg_tables where schemaname = $1', ['public'])
    expect(rows).toEqual([])
  } finally {
    await empty.close()
  }
})

test('all processes end, as a new start would, when a newer version migrates their database', async () => {
  const running = processes.filter((one) => one.isRunning)
  expect(running.length).toBeGreaterThanOrEqual(5)
  await scratch.pool.query(
    "insert into schema_migrations (name, timestamp) values ('29991231000000_future', 'now')",
  )
  const codes = await within('the end', 60_000, Promise.all(running.map((one) => one.exited)))
  expect(codes, output()).toEqual(running.map(() => 1))
  for (const { lines } of running) expect(lines.join('')).toContain('29991231000000_future')
})

const send = async (base: string) => {
  const reply = await fetch(`${base}/api/v3/message`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ boc: MESSAGE }),
    signal: AbortSignal.timeout(15_000),
  })
  return { status: reply.status, text: await reply.text() }
}
