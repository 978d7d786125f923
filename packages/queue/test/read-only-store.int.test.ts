import type { EventEmitter } from 'node:events'
import { scratchDatabase } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { openBackend } from '../src/backends.ts'

/** The connections of a worker, which the library does not show. */
interface Inside {
  readonly backend: {
    readonly connection: { readonly listenClient?: EventEmitter & { readonly connection: EventEmitter } }
  }
}

test('a worker that waits for jobs at a standby connects anew, and gets jobs of the primary', async () => {
  const scratch = await scratchDatabase({ migrated: false })
  const backend = await openBackend({ databaseUrl: scratch.url }, Buffer.alloc(32, 1))
  const queue = backend.queue('head')
  const done: unknown[] = []
  const errors: string[] = []
  const worker = backend.worker('head', async ({ data }) => void done.push(data), { drainDelay: 2 })
  worker.on('error', ({ message }) => void errors.push(message))
  const { connection } = (worker as unknown as Inside).backend
  try {
    await queue.waitUntilReady()
    await expect.poll(() => connection.listenClient).toBeDefined()
    const first = connection.listenClient!
    // What a standby answers to LISTEN. The driver's own listener would expect a statement.
    first.connection.listeners('errorMessage').at(-1)!({ code: '25006' })
    await expect.poll(() => connection.listenClient !== first && connection.listenClient).toBeTruthy()
    expect(errors).toContain('the server is a standby')
    await queue.add('index_head', 1)
    await expect.poll(() => done).toEqual([1])
  } finally {
    await worker.close(true)
    await queue.close()
    await scratch.close()
  }
})
