import { HeadFollowedMark } from '@shardwalk/db'
import { createMetrics } from '@shardwalk/observability'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../src/create-api.ts'
import { watchPools } from '../src/pool-metrics.ts'
import { listen, type RunningServer } from '../src/server.ts'
import { syncedPart } from '../src/sync-state.ts'

let scratch: ScratchDatabase
let server: RunningServer
beforeAll(async () => {
  scratch = await scratchDatabase()
  const app = createApi({ db: scratch.db, readiness: [syncedPart(scratch.db)], publicMetrics: true })
  server = await listen(app, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.close()
  await scratch.close()
})

const probe = async (path: string) => {
  const response = await fetch(server.url + path)
  return { status: response.status, body: (await response.json()) as { reason?: string; notes?: string[] } }
}
/** The head is read from the database at most ten times a second, so the answer changes at the next read. */
const answers = (path: string, expected: object) => expect.poll(() => probe(path)).toMatchObject(expected)
const indexed = (from: number, to: number) =>
  scratch.pool.query(`delete from indexed_ranges; insert into indexed_ranges values (${from}, ${to})`)

test('ready once something is indexed; synced once everything up to a followed head is', async () => {
  expect(await probe('/readyz')).toMatchObject({ status: 503, body: { reason: 'nothing is indexed yet' } })

  await indexed(5, 9)
  await scratch.pool.query(
    'insert into ingest_status (id, head_seqno, first_seqno, reported_at) values (1, 10, 1, now())',
  )
  const unknown = /^the head is not known: .* the last one it saw is 10$/
  await answers('/readyz', { status: 200, body: { notes: [expect.stringMatching(unknown)] } })
  await answers('/readyz?synced=1', {
    status: 503,
    body: { reason: expect.stringMatching(unknown) },
  })

  const mark = new HeadFollowedMark(scratch.pool)
  await mark.set(true)
  const behind = { reason: 'indexed up to 9, the head is 10' }
  await answers('/readyz?synced=1', { status: 503, body: behind })
  await indexed(5, 10)
  const gap = { reason: 'blocks 1 to 4 are not all indexed' }
  await answers('/healthz/ready?synced=1', { status: 503, body: gap })
  await indexed(1, 10)
  await answers('/readyz?synced=1', { status: 200, body: { ok: true, indexed: { first: 1, last: 10 } } })
  await scratch.pool.query(
    `insert into quarantine (workchain, shard, seqno, root_hash, file_hash, mc_seqno, kind, hash, account, lt,
      error, tried_with)
     values (0, 1, 2, '', '', 7, 'transaction', '', '', 3, 'cannot be read', '1')`,
  )
  const kept = 'in quarantine: 0 blocks, 1 transactions, 0 account states'
  await answers('/readyz?synced=1', { status: 503, body: { reason: kept } })
  await answers('/readyz', { status: 200, body: { notes: [kept] } })
  await scratch.pool.query('delete from quarantine')
  await answers('/readyz?synced=1', { status: 200, body: { ok: true } })
  await mark.close()
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('shardwalk_indexed_seqno 10')
})

test('the liveness check succeeds on every path', async () => {
  for (const path of ['/healthz', '/healthz/live', '/healthcheck'])
    expect(await (await fetch(server.url + path)).text()).toBe('OK')
})

test('metrics show busy connections and waiting requests of a pool', async () => {
  const metrics = createMetrics()
  const pool = new pg.Pool({ connectionString: scratch.url, max: 1 })
  // The database may be dropped while the connection is closing.
  pool.on('error', () => {})
  watchPools([{ lists: pool }], metrics)
  const shown = async () =>
    [...(await metrics.text()).matchAll(/\{pool="lists"\} (\d+)/g)].map((found) => Number(found[1]))
  expect(await shown()).toEqual([0, 0])
  const client = await pool.connect()
  const second = pool.connect()
  expect(await shown()).toEqual([1, 1])
  client.release()
  ;(await second).release()
  expect(await shown()).toEqual([0, 0])
  await pool.end()
})
