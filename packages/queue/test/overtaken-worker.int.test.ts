import { hasRedisServer } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { JobQueue, type QueueEvent } from '../src/index.ts'
import { postgresStore, redisStore } from './stores.ts'

const OPENERS = [
  ['PostgreSQL', postgresStore] as const,
  ...(hasRedisServer() || process.env['CI'] ? [['Redis', redisStore] as const] : []),
]

test.each(OPENERS)('a job that was given to another worker is no failure of %s', async (_name, open) => {
  const place = await open()
  const events: QueueEvent[] = []
  const queue = await JobQueue.open({
    ...{ store: place.store, network: Buffer.alloc(32, 1), stalledAfterMs: 800 },
    onEvent: (event) => events.push(event),
  })
  let end = () => {}
  let begin = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const handle = () => {
    begin()
    return ended
  }
  const worker = queue.work({ lane: 'head', concurrency: 1, handle })
  try {
    await queue.add([{ name: 'index_head', from: 7, to: 7 }])
    await begun
    // As a worker that took it over and was quicker.
    await queue.clear()
    end()
    await expect.poll(() => events.map(({ type }) => type)).toContain('overtaken')
    expect(events.filter(({ type }) => type === 'store_error')).toEqual([])
  } finally {
    end()
    await worker.close(2_000)
    await queue.close()
    await place.close()
  }
})
