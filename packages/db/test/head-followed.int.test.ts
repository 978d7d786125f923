import {
  blocksBehindHead,
  createDb,
  HeadFollowedMark,
  isHeadFollowed,
  readIngestStatus,
  writeIngestStatus,
} from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())

test('the head is followed while any process announces it, and no row is written', async () => {
  const readOnly = createDb({ url: `${scratch.url}?options=-cdefault_transaction_read_only%3Don` })
  try {
    const marks = [new HeadFollowedMark(readOnly.pool), new HeadFollowedMark(readOnly.pool)] as const
    expect(await isHeadFollowed(scratch.db)).toBe(false)
    for (const mark of marks) await mark.set(true)
    await marks[0].set(true)
    await marks[0].set(false)
    expect(await isHeadFollowed(scratch.db)).toBe(true)
    await marks[1].close()
    await expect.poll(() => isHeadFollowed(scratch.db)).toBe(false)
  } finally {
    await readOnly.close()
  }
})

test('a dead session is replaced', async () => {
  const mark = new HeadFollowedMark(scratch.pool)
  await mark.set(true)
  await scratch.pool.query(`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())
  `)
  await expect.poll(() => isHeadFollowed(scratch.db)).toBe(false)
  await expect
    .poll(async () => {
      await mark.set(true)
      return isHeadFollowed(scratch.db)
    })
    .toBe(true)
  await mark.close()
})

test('the index is behind the head only while somebody follows the head', async () => {
  const { db, pool } = scratch
  expect(await blocksBehindHead(db)).toBe(0)
  await writeIngestStatus(db, { head: 120, first: 1 })
  await pool.query('insert into indexed_ranges (from_seqno, to_seqno) values (1, 50), (60, 100)')
  expect(await blocksBehindHead(db)).toBe(0)
  const mark = new HeadFollowedMark(pool)
  await mark.set(true)
  expect(await blocksBehindHead(db)).toBe(20)
  await pool.query('update indexed_ranges set to_seqno = 121 where to_seqno = 100')
  expect(await blocksBehindHead(db)).toBe(0)
  await mark.close()
})

test('a head gives way to a lower one once nobody has reported it for a minute', async () => {
  const { db, pool } = scratch
  const reportBoth = async () => {
    expect(await writeIngestStatus(db, { head: 900, first: 1 })).toBe(true)
    expect(await writeIngestStatus(db, { head: 800, first: 1 })).toBe(false)
  }
  const head = async () => (await readIngestStatus(db))?.head
  await reportBoth()
  expect(await head()).toBe(900)
  await pool.query("update ingest_status set reported_at = reported_at - interval '61 seconds'")
  await writeIngestStatus(db, { head: 801, first: 1 })
  expect(await head()).toBe(801)
  await reportBoth()
  await writeIngestStatus(db, { head: 802, first: 1 }, { replacesHead: true })
  expect(await head()).toBe(802)
})
