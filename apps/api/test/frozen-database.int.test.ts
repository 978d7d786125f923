import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDb, type DatabaseHandle, isDatabaseAway } from '@shardwalk/db'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { silentLogger } from '@shardwalk/observability'
import { keepPlans } from '@shardwalk/queries'
import { FREEZE_MS, freezeServer, prepareDataDir } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAccess } from '../src/access/index.ts'
import { createApi } from '../src/create-api.ts'
import { listen, type RunningServer } from '../src/server.ts'

/** Shorter than in production to keep the test short. Milliseconds. */
const LIMITS = { statementTimeoutMs: 1_000, silenceMs: 1_200, connectTimeoutMs: 1_000 }
/** A key lookup and the head, each with a connection and a statement. */
const REPLY_MS = 2 * (LIMITS.connectTimeoutMs + LIMITS.silenceMs) + 3_000
/** Every request that waits for the database takes longer. */
const AT_ONCE_MS = 900
/** A busy machine can be slow once; what waits for the database is slow each time. */
const TRIES = { timeout: 60_000, interval: 10 }

let folder: string
let postgres: EmbeddedPostgres
let handle: DatabaseHandle
let server: RunningServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-frozen-'))
  await chmod(folder, 0o755)
  const dataDir = join(folder, 'data')
  await prepareDataDir(dataDir)
  postgres = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: 'off', shared_buffers: '16MB' },
  })
  handle = createDb({ url: postgres.url, max: 3, ...LIMITS, failFast: true })
  const access = openAccess({ db: handle.db, anonymousRps: 1000 })
  const app = createApi({ db: keepPlans(handle.pool), access: access.middleware, log: silentLogger })
  server = await listen(app, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server?.close(0)
  await handle?.close()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

const ask = async (path: string) => {
  const start = performance.now()
  const response = await fetch(server.url + path)
  await response.arrayBuffer()
  return {
    status: response.status,
    retry: response.headers.get('retry-after'),
    ms: performance.now() - start,
  }
}
const LISTS = ['blocks', 'transactions', 'messages', 'traces', 'actions', 'jetton/masters', 'nft/items']

test('requests are answered in time while the server is frozen, and it is used again after', async () => {
  expect((await ask('/api/v3/blocks')).status).toBe(200)
  const frozen = freezeServer(postgres.pid)
  try {
    const first = await Promise.all([...LISTS, ...LISTS].map((path) => ask(`/api/v3/${path}`)))
    for (const reply of first) {
      expect(reply).toMatchObject({ status: 503, retry: '1' })
      expect(reply.ms).toBeLessThan(REPLY_MS)
    }
    for (const path of ['/healthz', '/api/v3/openapi.json', '/api/v3/', '/api/v2/openapi.json']) {
      const statuses = new Set<number>()
      const isAtOnce = async () => {
        const { status, ms } = await ask(path)
        statuses.add(status)
        return ms < AT_ONCE_MS
      }
      await expect.poll(isAtOnce, { ...TRIES, message: path }).toBe(true)
      expect([path, ...statuses]).toEqual([path, 200])
    }
    // Most are rejected without waiting; one per second tries whether the server has returned.
    const statuses = new Set<number>()
    const rejectedAtOnce = async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => ask('/api/v3/blocks')))
      for (const { status } of replies) statuses.add(status)
      return replies.filter(({ ms }) => ms < AT_ONCE_MS).length
    }
    await expect.poll(rejectedAtOnce, TRIES).toBeGreaterThan(10)
    expect([...statuses]).toEqual([503])
    let answered = 0
    let longest = 0
    for (const end = performance.now() + FREEZE_MS; performance.now() < end; ) {
      const replies = await Promise.all(LISTS.map((path) => ask(`/api/v3/${path}`)))
      for (const reply of replies) expect(reply).toMatchObject({ status: 503, retry: '1' })
      answered += replies.length
      longest = Math.max(longest, ...replies.map(({ ms }) => ms))
    }
    if (FREEZE_MS > 0) console.log(`${answered} replies, the slowest after ${longest.toFixed(0)} ms`)
    expect(longest).toBeLessThan(REPLY_MS)
  } finally {
    frozen.thaw()
  }
  await expect.poll(async () => (await ask('/api/v3/blocks')).status).toBe(200)
})

test('a writer loses a silent connection, and its pool can be closed', async () => {
  const writer = createDb({ url: postgres.url, max: 2, statementTimeoutMs: 500, silenceMs: 700 })
  const client = await writer.pool.connect()
  const idle = await writer.pool.connect()
  idle.release()
  await client.query('begin')
  const frozen = freezeServer(postgres.pid)
  try {
    const error = await client.query('select 1').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'database_silent' })
    expect(isDatabaseAway(error)).toBe(true)
    client.release()
    expect(writer.pool.totalCount).toBe(1)
    await writer.close()
  } finally {
    frozen.thaw()
  }
})
