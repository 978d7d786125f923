import { BlockFollower } from '@shardwalk/live-events'
import { createMetrics, silentLogger } from '@shardwalk/observability'
import { V2 } from '@shardwalk/streaming'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ApiServices } from '../services.ts'
import { Streams } from './streams.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  vi.spyOn(BlockFollower.prototype, 'run').mockResolvedValue()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A connection to streams that have sent all blocks up to 7, and the positions in its keep-alives. */
function connect() {
  const head = { read: async () => ({ range: undefined }) }
  const services = { metrics: createMetrics(), log: silentLogger, head, replicas: { size: 1 } }
  const streams = new Streams(services as never as ApiServices, { beatMs: 1 })
  vi.spyOn(streams.follower, 'complete', 'get').mockReturnValue(7)
  const said: (number | undefined)[] = []
  const transport = { isReady: true, send: () => transport.isReady, close: () => {} }
  const subscriber = streams.connect({ protocol: V2, transport, keepAlive: (after) => said.push(after) })
  return { streams, subscriber, transport, said }
}

/** Until each connection had its turn once. */
const beats = () => vi.advanceTimersByTimeAsync(15)

test('a keep-alive says how far a connection is, but not while it waits for what it missed', async () => {
  const { streams, subscriber, said } = connect()
  await beats()
  let sendMissed = async () => {}
  vi.spyOn(streams.follower, 'inTurn').mockImplementation((work) => {
    sendMissed = work
  })
  streams.events.resume(subscriber, 3, 'client')
  await beats()
  await sendMissed()
  await beats()
  expect(said).toEqual([7, undefined, 7])
  streams.close()
})

test('a keep-alive does not say so either while events wait for the connection to read', async () => {
  const { streams, subscriber, transport, said } = connect()
  transport.isReady = false
  for (const text of ['{"sent":1}', '{"waits":1}']) subscriber.outbox.push({ kind: 'event', text })
  await beats()
  transport.isReady = true
  subscriber.outbox.flush()
  await beats()
  expect(said).toEqual([undefined, 7])
  streams.close()
})
