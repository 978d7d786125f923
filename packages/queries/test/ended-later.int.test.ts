import type { AccountId } from '@shardwalk/model'
import { ACTIVITY_FROM_ROWS, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listTraces, type Sort } from '../src/index.ts'
import { insertRows } from './model/insert-rows.ts'

// A trace is listed by its end, and found by a transaction of the account, which may be far before it.

const [ACCOUNT, OTHER] = [5n, 6n] as [AccountId, AccountId]
/** More transactions of the account than are looked at first. */
const COUNT = 300
const STEP = 1_000n
/** Of the first trace: after all others, and long after the account's part in it. */
const END = BigInt(COUNT + 10) * STEP

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
  const { pool } = scratch
  for (const table of ['transactions', 'messages'])
    await pool.query('select create_lt_partition($1, 0, 5000000000000)', [table])
  await insertRows(
    pool,
    'accounts',
    [ACCOUNT, OTHER].map((id) => ({ id })),
  )
  const own = Array.from({ length: COUNT }, (_, at) => transaction(ACCOUNT, BigInt(at + 1) * STEP, at + 1))
  await insertRows(pool, 'transactions', [...own, transaction(OTHER, END, 1)])
  await insertRows(
    pool,
    'traces',
    own.map(({ lt, piece, hash }) => ({
      ...{ piece, trace_id: hash, start_lt: lt, end_lt: piece === 1 ? END : lt },
      ...{ state: 0, nodes: piece === 1 ? 2 : 1, edges: 0 },
    })),
  )
  await pool.query(ACTIVITY_FROM_ROWS)
})
afterAll(() => scratch?.close())

function transaction(account_id: bigint, lt: bigint, piece: number) {
  const hash = Buffer.alloc(32)
  hash.writeBigUInt64BE(lt)
  return { account_id, lt, piece, hash, mc_block_seqno: 1 }
}

/** Numbers of the first traces of the account. */
async function first(sort: Sort, from: bigint): Promise<number[]> {
  const filter = { account: ACCOUNT, lt: { from, to: 2n ** 62n } }
  const { rows } = await listTraces(scratch.db, filter, { sort, limit: 3, offset: 0 })
  return rows.map(({ trace_id }) => Number(trace_id.readBigUInt64BE(0) / STEP))
}

test('a trace that ends last is the newest, however old the part of the account is', async () => {
  expect(await first('desc', 0n)).toEqual([1, COUNT, COUNT - 1])
})

test('a trace that ends after a time is found though the part of the account is before it', async () => {
  expect(await first('asc', END - 12n * STEP)).toEqual([COUNT - 2, COUNT - 1, COUNT])
  expect(await first('asc', END - 11n * STEP)).toEqual([COUNT - 1, COUNT, 1])
})
