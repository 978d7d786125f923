import { randomBytes } from 'node:crypto'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { QueueStoreRefused } from '../src/errors.ts'
import { JobQueue, QUEUE_SCHEMA } from '../src/index.ts'

/** Roles belong to the server that test files share. */
const OTHER = `queue_${randomBytes(6).toString('hex')}`

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase({ migrated: false })
  const { pool, url } = scratch
  await pool.query(`create role ${OTHER} login password 'of tests'`)
  await pool.query(`grant create on database ${new URL(url).pathname.slice(1)} to ${OTHER}`)
})
afterAll(async () => {
  await scratch.pool.query(`drop owned by ${OTHER} cascade`)
  await scratch.pool.query(`drop role ${OTHER}`)
  await scratch.close()
})

const openAs = (url: string) => JobQueue.open({ store: { databaseUrl: url }, network: Buffer.alloc(32, 1) })

test('a queue that belongs to another user is refused with what to do, after which it is made', async () => {
  const { url, pool } = scratch
  const others = new URL(url)
  others.username = OTHER
  others.password = 'of tests'
  await (await openAs(url)).close()
  const error = await openAs(others.href).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(QueueStoreRefused)
  const [advice] = /drop schema .* cascade/.exec((error as Error).message) ?? []
  expect(advice).toBe(`drop schema ${QUEUE_SCHEMA} cascade`)
  await pool.query(advice!)
  await (await openAs(others.href)).close()
})
