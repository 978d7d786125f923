import { profileRules } from '@shardwalk/api-schema'
import { BatchSink, encodeBatch } from '@shardwalk/db'
import { formatRawAddress } from '@shardwalk/model'
import { AccountCache, type TraceRow, tracesByIds } from '@shardwalk/queries'
import { type RenderContext, UNLIMITED } from '@shardwalk/replies'
import { callerOf, endlessTraceBatch, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TraceTransactions } from '../src/trace-transactions.ts'

const TRACE = { callers: 3, each: 4 }
const BLOCKS = 6

let scratch: ScratchDatabase
let context: RenderContext
/** Statements that read transactions, in order. */
const reads: string[] = []

beforeAll(async () => {
  scratch = await scratchDatabase()
  const { db } = scratch
  context = {
    ...{ db, accounts: new AccountCache(), rules: profileRules('standard'), size: UNLIMITED },
    ...{ testOnly: false, settings: { noAddressBook: false, noMetadata: false }, marketplaces: new Map() },
    reading: (read) => {
      reads.push('parts')
      return read(db)
    },
  }
})
afterAll(() => scratch?.close())

async function commit(nth: number): Promise<TraceRow> {
  const { batch, globalVersion } = endlessTraceBatch(nth, TRACE)
  await new BatchSink(scratch.pool).commitBatches([encodeBatch(batch, { globalVersion })])
  const { rows } = await scratch.pool.query('select trace_id from traces where end_lt > 0')
  const [trace] = await tracesByIds(scratch.db, [rows[0].trace_id])
  return trace!
}

test('transactions of a growing trace are rendered once each, and not read when none came', async () => {
  const [first, second] = [0, 1].map((nth) => formatRawAddress(callerOf(nth)))
  const watched = new Set([first])
  const traces = new TraceTransactions()
  const reading = (block: number) => ({
    ...{ context, fromLt: 0n, block },
    isWatched: (account: string) => watched.has(account),
  })
  let before = await traces.ofWatched(await commit(1), reading(1))
  expect(before.map(({ account }) => account)).toEqual([first, first])
  for (let nth = 2; nth <= BLOCKS; nth++) {
    const trace = await commit(nth)
    const now = await traces.ofWatched(trace, reading(nth))
    expect(now.length).toBeGreaterThan(before.length)
    for (const [index, part] of before.entries()) expect(now[index]).toBe(part)
    expect(now).toEqual(await new TraceTransactions().ofWatched(trace, reading(nth)))
    before = now
    // The tables may be ahead of the block that is published.
    reads.length = 0
    expect(await traces.ofWatched(trace, reading(nth))).toEqual(now)
    expect(reads).toEqual([])
  }
  watched.add(second!)
  const [trace] = await tracesByIds(scratch.db, [(await commit(BLOCKS + 1)).trace_id])
  const both = await traces.ofWatched(trace!, reading(BLOCKS + 1))
  expect(both).toEqual(await new TraceTransactions().ofWatched(trace!, reading(BLOCKS + 1)))
  expect(new Set(both.map(({ account }) => account))).toEqual(new Set([first, second]))
})
