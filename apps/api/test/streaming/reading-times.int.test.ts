import { eventSchemas, profileRules } from '@shardwalk/api-schema'
import { waitFor } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { BusyStreams } from './busy-streams.ts'
import { type StreamingApi, startStreaming } from './moving-chain.ts'

/** When the reader of a server looks at the tables, and how long it waits for what is missing there. */

let streams: BusyStreams
let chain: BusyStreams['chain']
let api: StreamingApi
let busy: BusyStreams['busy']
/** Another server, with a clock of its own. */
let own: StreamingApi
let clock = 0
beforeAll(async () => {
  streams = await BusyStreams.open()
  ;({ chain, api, busy } = streams)
  own = await startStreaming(chain.scratch, {
    streaming: { pool: chain.scratch.pool, now: () => clock, pollMs: 100 },
  })
  await waitFor('the reader', () => own.streams.follower.position !== undefined)
})
afterEach(() => streams.endClients())
afterAll(async () => {
  await own?.close()
  await streams?.close()
})

/** The readers of both servers wait for the lock. */
const WAITING = `select distinct pid from pg_locks
  where relation = 'indexed_ranges'::regclass and not granted`

test('who subscribes while the head is being read misses no block after the acknowledgement', async () => {
  await waitFor('no subscriber', () => own.streams.hub.subscribers.count === 0)
  await expectLooks(1)
  const from = own.streams.follower.position!
  const seqno = await streams.nextOfBusy()
  const writer = await chain.scratch.pool.connect()
  try {
    await writer.query('begin; lock table indexed_ranges in access exclusive mode')
    const { polledAt } = own.streams.follower
    await expect.poll(async () => (await writer.query(WAITING)).rowCount).toBe(2)
    expect(own.streams.follower.polledAt).toBe(polledAt)
    const socket = await streams.ws(own)
    await socket.ask({ operation: 'subscribe', types: ['transactions'], addresses: busy })
    await writer.query('update indexed_ranges set to_seqno = $1', [seqno])
    await writer.query('commit')
    await waitFor('the block', () => own.streams.follower.position === seqno)
    await waitFor('its transactions', () => socket.events[0])
    socket.socket.terminate()
  } finally {
    writer.release(true)
  }
  // Without subscribers the readers follow the head wherever it goes: the other tests need these blocks.
  await waitFor('no subscriber', () => own.streams.hub.subscribers.count === 0)
  await chain.moveTo(from)
  await waitFor('the way back', () => own.streams.follower.position === from)
  await waitFor('the way back of the other', () => api.streams.follower.position === from)
})

test('a trace that the classifier does not get to is sent without actions after ten minutes', async () => {
  const { rows } = await chain.scratch.pool.query(
    `select coalesce(r.external_hash_norm, r.external_hash) as hash, r.mc_seqno_end as seqno, r.trace_id
     from traces r where r.mc_seqno_end > $1 and r.nodes > 2 order by r.mc_seqno_end limit 1`,
    [own.streams.follower.position! + 1],
  )
  const { hash, seqno, trace_id } = rows[0]
  await chain.scratch.pool.query('delete from actions where trace_id = $1', [trace_id])
  await chain.scratch.pool.query('insert into unclassified_traces (trace_id, end_lt) values ($1, 0)', [
    trace_id,
  ])
  const socket = await streams.ws(own)
  const forms = [hash.toString('hex')]
  await socket.ask({ operation: 'subscribe', types: ['trace'], trace_external_hash_norms: forms })
  await chain.moveTo(seqno)
  await waitFor('the block', () => own.streams.follower.position === seqno)
  await waitFor('what waits', () => own.streams.follower.complete === seqno - 1)
  clock += 600_000
  await expectLooks(3)
  expect(socket.events).toEqual([])
  clock += 1
  const event = await waitFor('the trace', () => socket.events[0])
  const { stream: schemas } = eventSchemas(profileRules('standard'))
  schemas.trace.parse(event)
  expect(event).toMatchObject({ type: 'trace', trace: { tx_hash: trace_id.toString('base64') } })
  expect(event).not.toHaveProperty('actions')
})

test('a block that does not come is waited for for 15 s, then those after it are sent', async () => {
  const from = own.streams.follower.position!
  const stream = await streams.sse({ types: ['transactions'], addresses: busy }, {}, own)
  await waitFor('the first frame', () => stream.frames[0])
  await chain.scratch.pool.query('update indexed_ranges set from_seqno = $1, to_seqno = $2', [
    ...[from + 2, from + 5],
  ])
  await chain.moveTo(from + 5)
  clock += 14_999
  await expectLooks(3)
  expect(own.streams.follower.position).toBe(from)
  clock += 15_000
  await waitFor('the blocks after it', () => own.streams.follower.position === from + 5)
  await chain.scratch.pool.query('update indexed_ranges set from_seqno = $1', [chain.first])
})

/** The reader has looked at the tables again. */
async function expectLooks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { polledAt } = own.streams.follower
    await waitFor('another look', () => own.streams.follower.polledAt > polledAt)
  }
}
