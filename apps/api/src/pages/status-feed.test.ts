import { PassThrough } from 'node:stream'
import type { StatusView } from '@shardwalk/pages'
import type { Request, Response } from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StatusFeed } from './status-feed.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const VIEW = { texts: {}, rows: {} } as unknown as StatusView
const REQUEST = { method: 'GET' } as Request

/** What is written to it, and the errors of that. */
function reply() {
  const problems: Error[] = []
  const stream = Object.assign(new PassThrough(), { writeHead: () => {} })
  stream.on('error', (error) => problems.push(error))
  return { response: stream as unknown as Response, stream, problems }
}

test('nothing is written to a stream that a shutdown has ended while its first view was read', async () => {
  const reads: ((view: StatusView) => void)[] = []
  const read = () => new Promise<StatusView>((resolve) => reads.push(resolve))
  let isShuttingDown = false
  const feed = new StatusFeed(read, () => isShuttingDown)
  const [watching, late] = [reply(), reply()]
  const opened = [watching, late].map(({ response }) => feed.open(REQUEST, response))
  reads[0]!(VIEW)
  await opened[0]
  isShuttingDown = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect([watching, late].map(({ stream }) => stream.writableEnded)).toEqual([true, true])
  reads[1]!(VIEW)
  await opened[1]
  await new Promise((resolve) => setImmediate(resolve))
  expect(late.problems).toEqual([])
  expect(String(watching.stream.read())).toContain('event: status')
  expect(late.stream.read()).toBeNull()
})
