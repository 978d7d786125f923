import { BatchSink, encodeBatch } from '@shardwalk/db'
import { fixtureChain, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ltRangeOfTime } from '../src/blocks/index.ts'
import { Statement } from '../src/idiom/index.ts'
import { listMessages, listTransactions } from '../src/index.ts'

/**
 * Two parts of the chain with a gap between them: the first blocks after it refer to predecessors that are
 * not indexed.
 */
const PIECES = [
  { from: 60, to: 120 },
  { from: 300, to: 360 },
]
let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
  const sink = new BatchSink(scratch.pool)
  for (const piece of PIECES) {
    const batches = []
    for await (const { batch, globalVersion } of fixtureChain(piece))
      batches.push(encodeBatch(batch, { globalVersion }))
    await sink.commitBatches(batches)
  }
})
afterAll(() => scratch?.close())

test('a bound on time is valid after a gap too', async () => {
  const ask = async (text: string, values: unknown[] = []) => (await scratch.pool.query(text, values)).rows
  const [{ end_of_first }] = await ask(
    'select max(end_lt) as end_of_first from blocks where mc_block_seqno <= 120',
  )
  const times: number[] = (
    await ask('select distinct gen_utime as time from blocks where mc_block_seqno >= 300')
  ).map((row) => row.time)
  expect(times.length).toBeGreaterThan(20)
  for (const time of times) {
    const { from } = await ltRangeOfTime(scratch.db, { from: time, to: undefined })
    const [{ first }] = await ask('select min(lt) as first from transactions where now >= $1', [time])
    if (first !== null) expect(from, `time ${time}`).toBeLessThanOrEqual(first)
    // No worse than the last masterchain block before the gap allows; shards may be a few blocks behind it.
    expect(from, `time ${time}`).toBeGreaterThan(end_of_first - 40_000_000n)
  }
})

test('at the beginning of the indexed range there is no bound', async () => {
  const rows = (await scratch.pool.query('select min(gen_utime) as time from blocks')).rows
  expect(await ltRangeOfTime(scratch.db, { from: rows[0].time, to: undefined })).toMatchObject({ from: 0n })
})

/** Names of the statements during the work. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const spy = vi.spyOn(Statement.prototype, 'rows')
  try {
    await work()
    return spy.mock.contexts.map((one) => (one as Statement<unknown>).name)
  } finally {
    spy.mockRestore()
  }
}

test('the end of a period is looked up once for a page, and rows of the period are within it', async () => {
  const { rows } = await scratch.pool.query<{ time: number; lts: bigint[] }>(
    `select now as time, array_agg(lt) as lts from transactions
     where mc_block_seqno between 80 and 100 group by 1 order by count(*) desc limit 1`,
  )
  const { time, lts } = rows[0]!
  const until = { time: { to: time } }
  const page = { sort: 'desc', limit: 5, offset: 0 } as const
  const pages = [() => listTransactions(scratch.db, until, page), () => listMessages(scratch.db, until, page)]
  for (const read of pages) {
    const names = await statementsOf(read)
    expect(names.filter((name) => name === 'upper bound of a time')).toHaveLength(1)
  }
  const { from, to } = await ltRangeOfTime(scratch.db, { from: time, to: time })
  for (const lt of lts) expect(from <= lt && lt <= to).toBe(true)
})

test('a shard that makes no block for a while leaves the end of a period where it is', async () => {
  const { rows } = await scratch.pool.query<{ seqno: number; time: number }>(
    'select seqno, gen_utime as time from blocks where workchain = -1 and mc_block_seqno = 70',
  )
  const { seqno, time } = rows[0]!
  const bound = async () => (await ltRangeOfTime(scratch.db, { from: undefined, to: time })).to
  const before = await bound()
  // As if the same shard block were the newest one for ten masterchain blocks.
  const stale = `update blocks b set shard_tops = (select shard_tops from blocks m
      where m.workchain = -1 and m.seqno = $1) where b.workchain = -1 and b.seqno between $1 and $1 + 10`
  await scratch.pool.query(stale, [seqno])
  const later = await bound()
  expect(later).toBeGreaterThan(before)
  expect(later).toBeLessThan(2n ** 63n - 1n)
})

test('the first block of a shard may begin before masterchain blocks that know no block of it', async () => {
  const young = await scratchDatabase()
  try {
    const sink = new BatchSink(young.pool)
    for await (const { batch, globalVersion } of fixtureChain({ from: 1, to: 12 }))
      await sink.commitBatches([encodeBatch(batch, { globalVersion })])
    // As if its validators had seen the zerostate only. Three masterchain blocks are older.
    const { rows } = await young.pool.query(
      'update blocks set start_lt = 1000000 where workchain = 0 and seqno = 1 returning gen_utime as time',
    )
    const first = { from: rows[0].time, to: undefined }
    expect((await ltRangeOfTime(young.db, first)).from).toBeLessThanOrEqual(1_000_000n)
    // Of a workchain without any block, none is in the period.
    await young.pool.query('delete from blocks where workchain = 0')
    expect((await ltRangeOfTime(young.db, first)).from).toBe(3_000_004n)
  } finally {
    await young.close()
  }
})
