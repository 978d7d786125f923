import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { V3Client } from '@shardwalk/client'
import {
  BatchSink,
  createDb,
  type DatabaseHandle,
  encodeBatch,
  HeadFollowedMark,
  isHeadFollowed,
  writeIngestStatus,
} from '@shardwalk/db'
import type { EmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { createMetrics, createShutdown, type MetricsRegistry, silentLogger } from '@shardwalk/observability'
import { copyPrimary, freezeServer, startPrimary, startStandby, syntheticChain } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { ApiConfig } from '../src/config.ts'
import { createApi } from '../src/create-api.ts'
import { openDatabases } from '../src/open-databases.ts'
import { listen } from '../src/server.ts'
import { syncedPart } from '../src/sync-state.ts'

// A real primary and a standby that streams from it.
let folder: string
let primary: EmbeddedPostgres
let standby: EmbeddedPostgres
let writing: DatabaseHandle
let sink: BatchSink
let indexed = 0
const chain = syntheticChain({ seed: 11, batches: 90, transactionsPerBatch: 2 })

const folderOf = (name: string) => join(folder, name)
const PATIENCE = { timeout: 120_000 }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-replicas-'))
  await chmod(folder, 0o755)
  primary = await startPrimary(folderOf('primary'))
  writing = createDb({ url: primary.url, max: 4 })
  sink = new BatchSink(writing.pool)
  await index(10)
  await copyPrimary(primary, folderOf('primary'), folderOf('standby'))
  standby = await startStandby(primary, folderOf('standby'))
  await followed()
})
afterAll(async () => {
  await writing?.close()
  await standby?.stop()
  await primary?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Resolves to the newest block. */
async function index(blocks: number): Promise<number> {
  const next = chain.slice(indexed, indexed + blocks)
  await sink.commitBatches(next.map(({ batch, globalVersion }) => encodeBatch(batch, { globalVersion })))
  indexed += blocks
  return indexed
}

async function onStandby<T extends pg.QueryResultRow>(sql: string): Promise<readonly T[]> {
  const client = new pg.Client({ connectionString: standby.url })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

const headOf = async () =>
  (await onStandby<{ to: number }>('select max(to_seqno) as to from indexed_ranges'))[0]?.to
const followed = () => vi.waitUntil(async () => (await headOf()) === indexed, PATIENCE)

interface Api {
  readonly url: string
  readonly metrics: MetricsRegistry
  ask(query: string, headers?: Record<string, string>): Promise<Answer>
}
interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly head: number
  /** Newest masterchain block of the rows. */
  readonly seqno: number
  readonly error?: string
}

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** The API as the process wires it. */
async function openApi(...databaseUrls: string[]): Promise<Api> {
  const shutdown = createShutdown({ exit: () => {} })
  const metrics = createMetrics()
  const config = { databaseUrls, databaseWriteUrl: primary.url, poolSize: 12 } as unknown as ApiConfig
  const databases = openDatabases(config, { log: silentLogger, metrics, shutdown })
  const server = await listen(createApi({ ...databases, metrics }), { host: '127.0.0.1', port: 0 })
  closers.push(
    () => shutdown.run(),
    () => server.close(0),
  )
  const ask = async (query: string, headers = {}) => {
    const url = `${server.url}/api/v3/blocks?workchain=-1&limit=1&sort=desc&${query}`
    const response = await fetch(url, { headers })
    const text = await response.text()
    const body = (text === '' ? {} : JSON.parse(text)) as { blocks?: { seqno: number }[]; error?: string }
    return {
      status: response.status,
      headers: response.headers,
      head: Number(response.headers.get('x-indexed-mc-seqno')),
      seqno: body.blocks?.[0]?.seqno ?? 0,
      ...(body.error !== undefined && { error: body.error }),
    }
  }
  return { url: server.url, metrics, ask }
}

const times = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)))
const upOf = async ({ metrics }: Api) =>
  [...(await metrics.text()).matchAll(/replica_up\{replica="[^"]+"\} (\d)/g)].map((match) => match[1])

test('a client that passes on what it saw gets nothing older, while a standby lags behind', async () => {
  const { ask, url } = await openApi(standby.url, primary.url)
  await onStandby('select pg_wal_replay_pause()')
  try {
    const before = indexed
    const head = await index(5)
    const strict = await times(40, () => ask(`min_mc_seqno=${head}`))
    for (const { status, head: named, seqno } of strict)
      expect({ status, named, seqno }).toEqual({ status: 200, named: head, seqno: head })
    const client = new V3Client({ url, neverGoBack: true })
    const seen: number[] = []
    for (let request = 0; request < 20; request++) {
      const { rows } = await client.page('blocks', { workchain: -1, limit: 1, sort: 'desc' })
      seen.push(rows[0]!.seqno)
    }
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    // The others are answered by both.
    await expect
      .poll(async () => new Set((await times(8, () => ask(''))).map(({ seqno }) => seqno)), PATIENCE)
      .toEqual(new Set([before, head]))
  } finally {
    await onStandby('select pg_wal_replay_resume()')
  }
  await followed()
})

test('a request waits for its block, until its deadline', async () => {
  const { ask } = await openApi(standby.url)
  await onStandby('select pg_wal_replay_pause()')
  const head = await index(3)
  const late = await ask(`min_mc_seqno=${head}&x_timeout=200`)
  expect(late).toMatchObject({
    status: 503,
    head: head - 3,
    error: `masterchain block ${head} is not indexed here yet, the newest is ${head - 3}; try again`,
  })
  expect(late.headers.get('retry-after')).toBe('1')
  const waiting = ask(`min_mc_seqno=${head}`)
  await onStandby('select pg_wal_replay_resume()')
  expect(await waiting).toMatchObject({ status: 200, head, seqno: head })
  expect(await ask('min_mc_seqno=-1')).toMatchObject({
    status: 422,
    error: expect.stringMatching(/^wrong value for parameter "min_mc_seqno"/),
  })
})

test('a probe says of a standby that has stopped replaying how far it is behind', async () => {
  const reading = createDb({ url: standby.url, max: 1 })
  closers.push(() => reading.close())
  await writeIngestStatus(writing.db, { head: await index(1), first: 1 })
  await followed()
  const problemOf = async ({ db }: DatabaseHandle, maxLagS?: number) =>
    String(await syncedPart(db, maxLagS).problem())
  const problem = () => problemOf(reading, 0.5)
  const lag = /^this replica is \d+ s behind its primary/
  await expect.poll(problem, PATIENCE).not.toMatch(lag)
  await onStandby('select pg_wal_replay_pause()')
  try {
    await index(1)
    await expect.poll(problem, PATIENCE).toMatch(lag)
    expect(await problemOf(writing, 0.5)).not.toMatch(lag)
    expect(await problemOf(reading)).not.toMatch(lag)
  } finally {
    await onStandby('select pg_wal_replay_resume()')
  }
  await expect.poll(problem, PATIENCE).not.toMatch(lag)
})

test('that the head is followed is not announced at a standby', async () => {
  const reading = createDb({ url: standby.url, max: 1 })
  closers.push(() => reading.close())
  const [mistaken, mark] = [reading, writing].map(({ pool }) => new HeadFollowedMark(pool))
  try {
    await expect(mistaken!.set(true)).rejects.toThrow('this server is a standby')
    expect(await isHeadFollowed(writing.db)).toBe(false)
    await mark!.set(true)
    expect(await isHeadFollowed(writing.db)).toBe(true)
  } finally {
    await Promise.all([mistaken!.close(), mark!.close()])
  }
})

test('what has led to a primary is not used while it leads to a standby; replicas are', async () => {
  let target = primary.url
  const way = createServer((near) => {
    const { hostname, port } = new URL(target)
    const far = connect(Number(port), hostname)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => near.destroy() && far.destroy())
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  closers.push(async () => way.close())
  const url = new URL(primary.url)
  url.port = String((way.address() as AddressInfo).port)
  const open = (ofPrimary: boolean) => {
    const database = createDb({ url: url.href, max: 1, ofPrimary })
    closers.push(() => database.close())
    return database.pool
  }
  const isStandby = async (pool: pg.Pool) =>
    (await pool.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')).rows[0]!.standby
  target = standby.url
  // Nobody knows yet that it is more than a replica.
  expect(await isStandby(open(true))).toBe(true)
  target = primary.url
  expect(await isStandby(open(true))).toBe(false)
  target = standby.url
  const refused = open(true)
  await expect(isStandby(refused)).rejects.toMatchObject({ code: 'database_is_standby' })
  expect(await isStandby(open(false))).toBe(true)
  target = primary.url
  expect(await isStandby(refused)).toBe(false)
})

test('the head that a client sees is never before the rows that it gets', async () => {
  const { ask } = await openApi(standby.url, primary.url)
  let isOver = false
  const moving = (async () => {
    for (let blocks = 0; blocks < (isLong ? 60 : 15); blocks++) await index(1)
    isOver = true
  })()
  let least = 0
  let replies = 0
  while (!isOver) {
    const reply = await ask(`min_mc_seqno=${least}`)
    expect(reply.status).toBe(200)
    expect(reply.seqno).toBeGreaterThanOrEqual(least)
    expect(reply.head).toBeGreaterThanOrEqual(reply.seqno)
    least = reply.head
    replies++
  }
  await moving
  expect(replies).toBeGreaterThan(10)
  await followed()
})

test('equal tags of a standby mean equal rows, whatever is in progress on the primary', async () => {
  const { ask } = await openApi(standby.url)
  const open = await Promise.all([writing.pool.connect(), writing.pool.connect()])
  try {
    // The oldest one stays open; the second one commits after a third that began later.
    for (const client of open) {
      await client.query('begin')
      await client.query('select pg_current_xact_id()')
    }
    await index(1)
    await followed()
    const tag = async () => (await ask('')).headers.get('etag')
    const before = await tag()
    await open[1]!.query('commit')
    await expect.poll(tag, PATIENCE).not.toBe(before)
  } finally {
    for (const client of open) await client.query('rollback')
    for (const client of open) client.release()
  }
})

test('whichever server goes away, the other one answers, until it is back', async () => {
  const api = await openApi(standby.url, primary.url)
  const failed: Answer[] = []
  /** Asks until `isOver`, and a little longer. */
  const during = async (work: () => Promise<void>) => {
    let isOver = false
    const clients = times(isLong ? 4 : 2, async () => {
      for (let after = 0; after < 5; after += isOver ? 1 : 0) {
        const reply = await api.ask('')
        if (reply.status !== 200) failed.push(reply)
        // Servers that start on the same machine have their turn.
        await delay(20)
      }
    })
    await work()
    isOver = true
    await clients
  }
  await expect.poll(() => upOf(api), PATIENCE).toEqual(['1', '1'])
  await during(async () => {
    process.kill(standby.pid, 'SIGKILL')
    await standby.exited
    await expect.poll(() => upOf(api), PATIENCE).toEqual(['0', '1'])
    await standby.stop().catch(() => {})
    standby = await startStandby(primary, folderOf('standby'))
    await expect.poll(() => upOf(api), PATIENCE).toEqual(['1', '1'])
  })
  expect(failed).toEqual([])
  await during(async () => {
    const { port } = primary
    await primary.stop()
    await expect.poll(() => upOf(api), PATIENCE).toEqual(['1', '0'])
    primary = await startPrimary(folderOf('primary'), port)
    await expect.poll(() => upOf(api), PATIENCE).toEqual(['1', '1'])
  })
  expect(failed).toEqual([])
  await index(1)
  await followed()
})

test('a standby that is frozen holds up nobody for good', async () => {
  const api = await openApi(standby.url, primary.url)
  await times(8, () => api.ask(''))
  const frozen = freezeServer(standby.pid)
  try {
    const replies = await times(12, () => api.ask(`min_mc_seqno=${indexed}`))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    expect(await upOf(api)).toEqual(['0', '1'])
  } finally {
    frozen.thaw()
  }
  await expect.poll(() => upOf(api), PATIENCE).toEqual(['1', '1'])
})
