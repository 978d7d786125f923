import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import {
  apiKeyPrefix,
  createDb,
  type DatabaseHandle,
  hashApiKey,
  insertApiKey,
  makeApiKey,
} from '@shardwalk/db'
import { createMetrics, silentLogger } from '@shardwalk/observability'
import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openAccess } from '../src/access/index.ts'
import { READER_LIMITS } from '../src/http/slow-readers.ts'
import { Client } from './client.ts'

/** What exports do when clients are slow or lack a key, and when the database breaks. */

const NAME = 'export-streams'
const DEADLINE = { timeout: 20_000, interval: 20 }

let scratch: ScratchDatabase
let handle: DatabaseHandle
let client: Client
const answers: ServerResponse[] = []
const note = (message: unknown) => void answers.push((message as { response: ServerResponse }).response)
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  subscribe('http.server.request.start', note)
})
beforeEach(async () => {
  handle = createDb({ url: scratch.url, max: 4, applicationName: NAME })
  client = await Client.start(
    handle,
    { exportMaxRows: 100_000, exportConcurrency: 1 },
    // A busy machine takes long to see that the export stands still; its client must not be cut meanwhile.
    { readers: { ...READER_LIMITS, stalledMs: 300_000, windowMs: 300_000 } },
  )
})
afterEach(async () => {
  await client.close()
  await handle.close()
})
afterAll(async () => {
  unsubscribe('http.server.request.start', note)
  await scratch?.close()
})

/** The answer, of which nothing is read before it is asked for. */
const ask = (path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) =>
    request(client.url(path, { format: 'ndjson' }), { headers: { 'Accept-Encoding': 'identity' } })
      .on('response', resolve)
      .on('error', reject)
      .end(),
  )

/** Bytes that the server has written, sent or not, once it has stopped. */
async function stalledAt(): Promise<number> {
  const { socket } = answers.at(-1)!
  let [before, times] = [-1, 0]
  await vi.waitFor(() => {
    times = socket!.bytesWritten === before ? times + 1 : 0
    before = socket!.bytesWritten
    expect(times).toBeGreaterThan(20)
  }, DEADLINE)
  return before
}

const statements = async (condition: string) =>
  (
    await scratch.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = $1 and datname = current_database()
         and state = 'active' and ${condition}`,
      [NAME],
    )
  ).rows

test('a client that does not read stops the export, which holds no connection and little', async () => {
  const answer = await ask('transactions')
  const written = await stalledAt()
  expect(await statements('true')).toEqual([])
  expect(handle.pool.idleCount).toBe(handle.pool.totalCount)
  const { socket } = answers.at(-1)!
  expect(socket!.writableLength).toBeLessThan(8_000_000)
  let [bytes, lines] = [0, 0]
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    for (const byte of chunk) if (byte === 10) lines++
  }
  const { rows } = await scratch.pool.query<{ n: number }>('select count(*)::int as n from transactions')
  expect([lines, answer.trailers['x-export-complete']]).toEqual([rows[0]!.n, 'true'])
  expect(written).toBeLessThan(bytes / 2)
})

/** Statements that read transactions wait, until it is released. */
async function lockTransactions(): Promise<() => Promise<void>> {
  const owner = await scratch.pool.connect()
  await owner.query('begin; lock table transactions in access exclusive mode')
  return async () => {
    await owner.query('rollback')
    owner.release()
  }
}

const WAITING = "wait_event_type = 'Lock'"

test('a database that breaks in the middle breaks the transfer: no short file looks whole', async () => {
  const answer = await ask('transactions')
  await stalledAt()
  const unlock = await lockTransactions()
  try {
    const read = answer.toArray()
    read.catch(() => {})
    await vi.waitFor(async () => {
      const [waiting] = await statements(WAITING)
      expect(waiting).toBeDefined()
      await scratch.pool.query('select pg_terminate_backend($1)', [waiting!.pid])
    }, DEADLINE)
    await expect(read).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(answer.complete).toBe(false)
    expect(answer.trailers).toEqual({})
  } finally {
    await unlock()
  }
  // Its client may see the end before its place, the only one, is free.
  const next = async () => {
    const answer = await fetch(client.url('blocks', { format: 'ndjson', limit: 1 }))
    return [answer.status, (await answer.text()).split('\n').length]
  }
  await expect.poll(next, DEADLINE).toEqual([200, 2])
})

test('a client that leaves cancels the statement that runs for its export, and frees its place', async () => {
  const unlock = await lockTransactions()
  try {
    const asking = request(client.url('transactions', { format: 'ndjson' }))
      .on('error', () => {})
      .end()
    await vi.waitFor(async () => expect(await statements(WAITING)).toHaveLength(1), DEADLINE)
    asking.destroy()
    // Nothing else ends it: the lock is held, and its own timeout is a minute.
    await vi.waitFor(async () => expect(await statements('true')).toEqual([]), DEADLINE)
  } finally {
    await unlock()
  }
  await vi.waitFor(async () => {
    const next = await fetch(client.url('transactions', { format: 'ndjson', limit: 1 }))
    expect([next.status, (await next.text()).split('\n').length]).toEqual([200, 2])
  }, DEADLINE)
  expect(handle.pool.waitingCount).toBe(0)
})

test('where there are keys, only who has one may export; lists stay open', async () => {
  const metrics = createMetrics()
  const { db, pool } = scratch
  const access = openAccess({ db, pool, anonymousRps: 1000, metrics, log: silentLogger })
  const key = makeApiKey()
  await insertApiKey(db, {
    ...{ keyHash: hashApiKey(key), prefix: apiKeyPrefix(key), account: 'someone', requestsPerSecond: 1000 },
  })
  const guarded = await Client.start(scratch, { exportMaxRows: 10, access: access.middleware })
  try {
    for (const path of ['blocks', 'export/blocks']) {
      const refused = await guarded.get(path, { format: 'csv' })
      expect([refused.status, refused.body]).toEqual([
        403,
        { code: 403, error: 'exports need an API key here: set the header X-API-Key' },
      ])
      const allowed = await fetch(guarded.url(path, { format: 'csv' }), { headers: { 'X-API-Key': key } })
      expect([allowed.status, (await allowed.text()).trimEnd().split('\r\n').length]).toEqual([200, 11])
    }
    expect((await guarded.get('blocks', { limit: 1 })).status).toBe(200)
  } finally {
    await guarded.close()
    access.close()
    await pool.query('delete from api_keys')
  }
})
