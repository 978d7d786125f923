import { createDb } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase({ migrated: false })
})
afterAll(() => scratch?.close())

test('a server looks after clients whose machine may be gone, within 25 s', async () => {
  const { rows } = await scratch.pool.query<{ seconds: number }>(
    `select current_setting('tcp_keepalives_idle')::int
       + current_setting('tcp_keepalives_interval')::int * current_setting('tcp_keepalives_count')::int
       as seconds`,
  )
  expect(rows[0]!.seconds).toBe(25)
})

test('a process that is suspended in a transaction keeps its locks for a limited time', async () => {
  const suspended = createDb({ url: scratch.url, max: 1, idleTransactionMs: 300 })
  const client = await suspended.pool.connect()
  try {
    await client.query('begin; select pg_advisory_xact_lock(1)')
    const start = performance.now()
    await scratch.pool.query(`begin; set local lock_timeout = '5s'; select pg_advisory_xact_lock(1); commit`)
    expect(performance.now() - start).toBeGreaterThan(250)
    // When it goes on, its transaction is not there any more.
    await expect(client.query('commit')).rejects.toThrow()
  } finally {
    client.release(true)
    await suspended.close()
  }
})
