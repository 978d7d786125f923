import { EventEmitter, getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { untilFound } from './index.ts'

const HOUR_MS = 3_600_000
const events = new EventEmitter()
let found: number | undefined

function search(signals: readonly AbortSignal[] = [], timeoutMs = HOUR_MS): Promise<number | undefined> {
  found = undefined
  const listen = (onEvent: () => void) => {
    events.on('event', onEvent)
    return () => events.off('event', onEvent)
  }
  return untilFound({ look: () => found, listen, timeoutMs, signals })
}

test('what an event brings is found; nothing listens afterwards', async () => {
  const { signal } = new AbortController()
  const waiting = search([signal])
  events.emit('event')
  found = 7
  events.emit('event')
  expect(await waiting).toBe(7)
  expect([events.listenerCount('event'), getEventListeners(signal, 'abort').length]).toEqual([0, 0])
})

test('what is there already is found although no event follows', async () => {
  expect(await untilFound({ look: () => 7, listen: () => () => {}, timeoutMs: 0, signals: [] })).toBe(7)
})

test('nothing is found in time: undefined', async () => {
  expect(await search([], 1)).toBeUndefined()
  expect(events.listenerCount('event')).toBe(0)
})

test('the first signal that aborts ends the search, also one that has aborted before', async () => {
  const controller = new AbortController()
  const { signal: other } = new AbortController()
  const waiting = search([other, controller.signal])
  controller.abort(new Error('stop'))
  await expect(waiting).rejects.toThrow('stop')
  await expect(search([controller.signal])).rejects.toThrow('stop')
  expect([events.listenerCount('event'), getEventListeners(other, 'abort').length]).toEqual([0, 0])
})
