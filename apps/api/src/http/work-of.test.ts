import { EventEmitter } from 'node:events'
import type { Request, Response } from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ownerOf, scopeOf } from './work-of.ts'

const DEADLINE_MS = 1_000
const request = { ip: '192.0.2.1' } as Request

class Reply extends EventEmitter {
  readonly locals = {}
  closed = false
  readonly writableFinished = false
  leave(): void {
    this.closed = true
    this.emit('close')
  }
}
const open = () => {
  const reply = new Reply()
  const owner = ownerOf(request, reply as unknown as Response, { requestDeadlineMs: DEADLINE_MS })
  return { reply, owner }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the scope of an owner has its signal, which is aborted at the deadline of the request', () => {
  const { owner } = open()
  vi.advanceTimersByTime(DEADLINE_MS / 2)
  const scope = scopeOf(owner)
  expect(scope).toMatchObject({ client: 'ip:192.0.2.1', signal: owner.signal() })
  vi.advanceTimersByTime(DEADLINE_MS / 2 - 1)
  expect(scope.signal?.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(scope.signal?.aborted).toBe(true)
})

test('who asks for the signal late learns that the client has left or that the time is up', () => {
  const [left, late] = [open(), open()]
  left.reply.leave()
  expect(left.owner.signal().aborted).toBe(true)
  vi.advanceTimersByTime(2 * DEADLINE_MS)
  expect(late.owner.signal().aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(late.owner.signal().aborted).toBe(true)
})
