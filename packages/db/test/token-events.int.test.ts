import type { Lease } from '@shardwalk/concurrency'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { deriveTokenEvents } from '../src/index.ts'

let scratch: ScratchDatabase

beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())
beforeEach(() =>
  scratch.pool.query('truncate event_queue; insert into event_queue (mc_seqno) values (5), (6)'),
)

/** After the events of claimed batches were read, before they are written. */
const derive = (meanwhile: string | (() => Promise<unknown>), lease?: Lease) => {
  const connect = async () => {
    await (typeof meanwhile === 'string' ? scratch.pool.query(meanwhile) : meanwhile())
    return scratch.pool.connect()
  }
  const pool = new Proxy(scratch.pool, {
    get: (target, name) => (name === 'connect' ? connect : Reflect.get(target, name)),
  }) as pg.Pool
  return deriveTokenEvents({ db: scratch.db, pool }, { limit: 10, lease })
}

async function queued(): Promise<unknown[]> {
  const { rows } = await scratch.pool.query('select mc_seqno from event_queue order by mc_seqno')
  return rows.map((row) => row.mc_seqno)
}

test('a batch whose events were derived leaves the queue', async () => {
  expect(await derive('select 1')).toBe(2)
  expect(await queued()).toEqual([])
})

test('a batch that is written again while its events are derived stays in the queue', async () => {
  await derive('update event_queue set leased_until = null where mc_seqno = 5')
  expect(await queued()).toEqual([5])
})

test('a batch that another process has claimed meanwhile stays until that one is done', async () => {
  await derive(`update event_queue set leased_until = now() + interval '5 minutes' where mc_seqno = 6`)
  expect(await queued()).toEqual([6])
})

test('a lease is prolonged while events are derived, and what is claimed is still known by it', async () => {
  const ends = async () => {
    const { rows } = await scratch.pool.query('select leased_until::text as ends from event_queue')
    return rows.map((row) => row.ends as string)
  }
  let isHeld = false
  const untilProlonged = async () => {
    const [first] = await ends()
    await vi.waitUntil(async () => (await ends()).every((end) => end > first!), { timeout: 10_000 })
    isHeld = true
  }
  expect(await derive(untilProlonged, { seconds: 60, prolongAfterMs: 1 })).toBe(2)
  expect(isHeld).toBe(true)
  expect(await queued()).toEqual([])
})
