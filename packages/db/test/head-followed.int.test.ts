import { HeadFollowedMark, isHeadFollowed } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())

test('the head is followed while any process announces it, and no row is written', async () => {
  const writesOf = async (follow: () => Promise<void>) => {
    const before = await nextTransactionId()
    await follow()
    return (await nextTransactionId()) - before
  }
  // Autovacuum of the shared server sometimes takes transaction ids too.
  await expect.poll(() => writesOf(followTwice), { interval: 0, timeout: 20_000 }).toBe(0)
})

async function followTwice(): Promise<void> {
  const marks = [new HeadFollowedMark(scratch.pool), new HeadFollowedMark(scratch.pool)] as const
  expect(await isHeadFollowed(scratch.db)).toBe(false)
  for (const mark of marks) await mark.set(true)
  await marks[0].set(true)
  await marks[0].set(false)
  expect(await isHeadFollowed(scratch.db)).toBe(true)
  await marks[1].close()
  await expect.poll(() => isHeadFollowed(scratch.db)).toBe(false)
}

async function nextTransactionId(): Promise<number> {
  const { rows } = await scratch.pool.query('select pg_snapshot_xmax(pg_current_snapshot())::text as id')
  return Number(rows[0].id)
}

test('a dead session is replaced', async () => {
  const mark = new HeadFollowedMark(scratch.pool)
  await mark.set(true)
  await scratch.pool.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'")
  await expect.poll(() => isHeadFollowed(scratch.db)).toBe(false)
  await expect
    .poll(async () => {
      await mark.set(true)
      return isHeadFollowed(scratch.db)
    })
    .toBe(true)
  await mark.close()
})
