import type { EventEmitter } from 'node:events'
import { scratchDatabase } from '@shardwalk/testkit'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { openBackend } from '../src/backends.ts'

/** The connections of a queue, which the library does not show. */
interface Inside {
  readonly backend: {
    readonly connection: {
      readonly pool: pg.Pool
      readonly listenClient?: EventEmitter & { end(): Promise<void> }
      /** After the client was set. */
      applyListenClientName(): Promise<void>
    }
  }
}

test('the end of a connection between two statements fails the next one, not the process', async () => {
  const scratch = await scratchDatabase()
  const backend = await openBackend({ databaseUrl: scratch.url }, Buffer.alloc(32, 1))
  const queue = backend.queue('head')
  queue.on('error', () => {})
  try {
    await queue.waitUntilReady()
    const client = await (queue as unknown as Inside).backend.connection.pool.connect()
    // What nobody listens to ends the process, and this test with it.
    expect(client.listenerCount('error')).toBe(1)
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const ended = new Promise((resolve) => client.once('end', resolve))
    await scratch.pool.query('select pg_terminate_backend($1)', [rows[0]!.pid])
    await ended
    await expect(client.query('select 1')).rejects.toThrow()
    client.release(true)
  } finally {
    await queue.close()
    await scratch.close()
  }
})

test.each(['waits for jobs', 'was just opened'])(
  'an error on the connection that %s, while it is closed, ends no process',
  async (moment) => {
    const scratch = await scratchDatabase()
    const backend = await openBackend({ databaseUrl: scratch.url }, Buffer.alloc(32, 1))
    const worker = backend.worker('head', async () => {}, {})
    worker.on('error', () => {})
    const { connection } = (worker as unknown as Inside).backend
    let name = () => {}
    const named = new Promise<void>((resolve) => {
      name = resolve
    })
    if (moment === 'was just opened') connection.applyListenClientName = () => named
    try {
      await expect.poll(() => connection.listenClient).toBeDefined()
      const client = connection.listenClient!
      const end = client.end.bind(client)
      let isNotified = false
      client.end = () => {
        const ended = end()
        client.emit('error', new Error('terminating connection due to unexpected postmaster exit'))
        isNotified = true
        return ended
      }
      await worker.close(true)
      expect(isNotified).toBe(true)
    } finally {
      name()
      await worker.close(true)
      await scratch.close()
    }
  },
)
