import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
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
const derive = (meanwhile: string) => {
  const connect = async () => {
    await scratch.pool.query(meanwhile)
    return scratch.pool.connect()
  }
  const pool = new Proxy(scratch.pool, {
    get: (target, name) => (name === 'connect' ? connect : Reflect.get(target, name)),
  }) as pg.Pool
  return deriveTokenEvents({ db: scratch.db, pool }, { limit: 10, leaseSeconds: 60 })
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
