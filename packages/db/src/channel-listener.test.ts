import { EventEmitter } from 'node:events'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ChannelListener } from './channel-listener.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const refusal = (code: string) => Object.assign(new Error(code), { code })

/** A pool whose server answers LISTEN with these failures one after the other, and then accepts it. */
function poolThatFails(...failures: readonly Error[]) {
  const left = [...failures]
  const clients: EventEmitter[] = []
  const connect = async () => {
    const query = async () => {
      const failure = left.shift()
      if (failure) throw failure
    }
    const client = Object.assign(new EventEmitter(), { query, release: () => {} })
    clients.push(client)
    return client as unknown as pg.PoolClient
  }
  return { clients, pool: { connect } as unknown as Pick<pg.Pool, 'connect'> }
}

function listening(...failures: readonly Error[]) {
  const { clients, pool } = poolThatFails(...failures)
  const onFailure = vi.fn()
  const onNotification = vi.fn()
  const listener = new ChannelListener({ pool, channel: 'changed', onNotification, onFailure })
  return { clients, onFailure, onNotification, listener }
}

test('a replica is asked again, reported once, and listened to when it became the primary', async () => {
  const replica = refusal('25006')
  const { clients, onFailure, onNotification, listener } = listening(replica, refusal('25006'))
  await vi.advanceTimersByTimeAsync(29_000)
  expect([clients.length, onNotification.mock.calls.length]).toEqual([1, 0])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(onFailure.mock.calls).toEqual([[replica]])
  expect([clients.length, onNotification.mock.calls.length]).toEqual([3, 1])
  clients[2]!.emit('notification', { channel: 'changed' })
  expect(onNotification).toHaveBeenCalledTimes(2)
  listener.close()
})

test('another failure is reported each time and tried again sooner', async () => {
  const { clients, onFailure, onNotification, listener } = listening(refusal('57P01'), refusal('57P01'))
  await vi.advanceTimersByTimeAsync(11_000)
  expect([clients.length, onFailure.mock.calls.length, onNotification.mock.calls.length]).toEqual([3, 2, 1])
  clients[2]!.emit('error', new Error('lost'))
  await vi.advanceTimersByTimeAsync(5_000)
  expect([clients.length, onNotification.mock.calls.length]).toEqual([4, 2])
  listener.close()
})
