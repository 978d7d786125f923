import { claimNetwork, writeIngestStatus } from '@shardwalk/db'
import { FULL_SHARD } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Context } from '../context.ts'
import { backfillCommand } from './backfill.ts'

const HASH = Buffer.alloc(32, 1)
let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
  const zerostate = { workchain: -1, shard: FULL_SHARD, seqno: 0, rootHash: HASH, fileHash: HASH }
  await claimNetwork(scratch.db, zerostate)
  await writeIngestStatus(scratch.db, { head: 10, first: 1 })
})
afterAll(() => scratch.close())
afterEach(() => vi.restoreAllMocks())

const run = (...operands: string[]) =>
  backfillCommand.run({
    settings: { databaseUrl: scratch.url, databaseWaitSeconds: 10 },
    operands,
  } as unknown as Context)

test('blocks after the head are not waited for', async () => {
  await expect(run('5', '11')).rejects.toThrow('the newest one that ingest has seen is 10')
  await expect(run('5', '9999999999')).rejects.toThrow('there is no masterchain block 9999999999')
})

test('it says that nobody indexes, once, and ends when all is indexed', async () => {
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  for (const name of ['log', 'error'] as const) vi.spyOn(console, name).mockImplementation(print)
  const running = run('5', '8')
  await expect.poll(() => printed, { timeout: 60_000 }).toContain('4 masterchain blocks missing')
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  await scratch.pool.query('insert into indexed_ranges (from_seqno, to_seqno) values (5, 8)')
  expect(await running).toBe(0)
  expect(printed).toEqual([
    'No ingest process follows the head now: this waits until one runs.',
    '4 masterchain blocks missing',
    '0 masterchain blocks missing',
  ])
})
