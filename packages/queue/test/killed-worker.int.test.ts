import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { hasRedisServer } from '@shardwalk/testkit'
import { programArguments } from '@shardwalk/testkit/compiled-program'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { JobQueue, type QueueEvent } from '../src/index.ts'
import { postgresStore, redisStore, type TestStore } from './stores.ts'

const OPENERS = [postgresStore, ...(hasRedisServer() || process.env['CI'] ? [redisStore] : [])]
const network = Buffer.alloc(32, 1)

let places: TestStore[] = []
beforeAll(async () => {
  places = await Promise.all(OPENERS.map((open) => open()))
})
afterAll(() => Promise.all(places.map((place) => place.close())))

/** A process that has a job of each store when this resolves. */
async function startHanging() {
  const program = await programArguments(fileURLToPath(new URL('./hanging-worker.ts', import.meta.url)))
  const stores = places.map(({ store }) => JSON.stringify(store))
  const child = spawn(process.execPath, [...program, ...stores], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let taken = 0
  for await (const _ of createInterface({ input: child.stdout })) if (++taken === places.length) break
  return child
}

test('a job of the head whose process was killed runs again sooner than one of history', async () => {
  const queues = await Promise.all(
    places.map(async ({ store }) => {
      const events: QueueEvent[] = []
      const queue = await JobQueue.open({ store, network, onEvent: (event) => events.push(event) })
      await queue.add([{ name: 'index_head', from: 7, to: 7 }])
      return { queue, events }
    }),
  )
  const child = await startHanging()
  const killedAt = performance.now()
  child.kill('SIGKILL')
  await once(child, 'exit')
  const ends = queues.map(async ({ queue }) => {
    let end = () => {}
    const done = new Promise<void>((resolve) => {
      end = resolve
    })
    const worker = queue.work({ lane: 'head', concurrency: 1, handle: async () => end() })
    await done
    const seconds = (performance.now() - killedAt) / 1000
    await worker.close(2_000)
    await queue.close()
    return seconds
  })
  const seconds = await Promise.all(ends)
  console.log(`taken over after ${seconds.map((one) => one.toFixed(1)).join(' and ')} s`)
  // Those of history wait for ten at least.
  for (const one of seconds) expect(one).toBeLessThan(8)
  for (const { events } of queues) expect(events).toContainEqual({ type: 'stalled', id: 'mc-7-7' })
})
