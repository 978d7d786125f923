import { connect, createServer, type Server, type Socket } from 'node:net'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Job, JobQueue, type QueueEvent } from '../src/index.ts'

const JOB: Job = { name: 'index_head', from: 7, to: 7 }
let scratch: ScratchDatabase
let server: Server
let isDown = false

/** A way to the database that can break. */
beforeAll(async () => {
  scratch = await scratchDatabase({ migrated: false })
  const { hostname, port } = new URL(scratch.url)
  server = createServer((near) => {
    if (isDown) return near.destroy()
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as readonly [Socket, Socket][]) {
      from.pipe(to)
      from.on('error', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.close()
  await scratch.close()
})

test('a worker whose first connections break works as soon as there is one, and blocks nothing', async () => {
  const events: QueueEvent[] = []
  const url = new URL(scratch.url)
  url.port = String((server.address() as { readonly port: number }).port)
  const queue = await JobQueue.open({
    store: { databaseUrl: url.href },
    network: Buffer.alloc(32, 1),
    onEvent: (event) => events.push(event),
  })
  await queue.add([JOB])
  isDown = true
  const done: Job[] = []
  const worker = queue.work({ lane: 'head', concurrency: 1, handle: async (job) => void done.push(job) })
  // More than once: it has been replaced.
  await expect.poll(() => events.length).toBeGreaterThan(1)
  isDown = false
  await expect.poll(() => done).toEqual([JOB])
  await worker.close(5_000)
  await queue.close()
})
