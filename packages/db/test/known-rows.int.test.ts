import { type ScratchDatabase, scratchDatabase, syntheticChain } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeBatch, readDatabaseRun } from '../src/index.ts'
import { readTablesRun } from '../src/queries/database-run.ts'
import { KnownRows } from '../src/sink/known-rows.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch?.close())

const batches = syntheticChain({ seed: 7, batches: 2 }).map(({ batch, globalVersion }) =>
  encodeBatch(batch, { globalVersion }),
)

/** As `pg_restore --clean --single-transaction` leaves it: with another file. */
async function restore(): Promise<string> {
  const before = await readDatabaseRun(scratch.db)
  await scratch.pool.query('truncate codes')
  expect(await readDatabaseRun(scratch.db)).not.toBe(before)
  return readTablesRun(scratch.pool)
}

test('of two transactions that a restored backup overtakes, both notice, also a slow one', async () => {
  const { pool } = scratch
  const known = new KnownRows()
  const first = await known.unknownAccounts(pool, batches)
  expect(first.accounts.length).toBeGreaterThan(0)
  first.remember()
  const [quick, slow] = [
    await known.unknownAccounts(pool, batches),
    await known.unknownAccounts(pool, batches),
  ]
  expect(slow.accounts).toEqual([])
  const tables = await restore()
  expect(known.areSame(quick.tables, tables)).toBe(false)
  const again = await known.unknownAccounts(pool, batches)
  expect(again.accounts).toEqual(first.accounts)
  expect(known.areSame(again.tables, tables)).toBe(true)
  again.remember()
  expect(known.areSame(slow.tables, tables)).toBe(false)
  // What is remembered of the new tables holds.
  expect((await known.unknownAccounts(pool, batches)).accounts).toEqual([])
})

test('of two that begin at once, the later answer does not pass for that of the earlier one', async () => {
  const { pool } = scratch
  const known = new KnownRows()
  let answer = () => {}
  const isLate = new Promise<void>((resolve) => {
    answer = resolve
  })
  const late = Object.assign(Object.create(pool), {
    query: async (text: string) => {
      if (text.includes('filenode')) await isLate
      return pool.query(text)
    },
  })
  const waiting = known.unknownAccounts(late, batches)
  const early = await known.unknownAccounts(pool, batches)
  early.remember()
  const tables = await restore()
  answer()
  expect(known.areSame((await waiting).tables, tables)).toBe(false)
})
