import { randomFrom, type ScratchDatabase, scratchDatabase, shuffled } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { testSeed } from '@shardwalk/testkit/runs'
import { afterEach, expect, test } from 'vitest'
import { BatchSink, CHECKED_TABLES, tableChecksums } from '../src/index.ts'
import { up } from '../src/migrations/20261127000000_external_columns.ts'

// What traces say of the external-in messages that began them, by which lists find these.

const BATCHES = (await recordedBatches({ to: 400 })).slice(99)

let scratch: ScratchDatabase
afterEach(() => scratch?.close())

/** Of each trace what it says, and what its root says. */
const readBoth = async () => {
  const { rows } = await scratch.pool.query(`
    select array[r.external_account_id, r.external_body_hash8, r.external_opcode] as found,
      array[m.account_id, m.body_hash8, m.opcode] as expected
    from traces r join transactions t on t.hash = r.trace_id
    left join messages m on m.account_id = t.account_id and m.lt = t.lt and m.kind = 1`)
  return rows as { readonly found: unknown; readonly expected: readonly (bigint | null)[] }[]
}

test('traces name receiver, body and opcode of external-in roots, in any order of blocks', async () => {
  scratch = await scratchDatabase()
  const sink = new BatchSink(scratch.pool)
  const order = shuffled(BATCHES, randomFrom(testSeed()))
  for (let at = 0; at < order.length; at += 7) await sink.commitBatches(order.slice(at, at + 7))
  // What remains of traces is assembled from stored rows.
  await sink.repairRange({ from: 150, to: 160 }, BATCHES.slice(50, 61))
  const rows = await readBoth()
  const withOpcode = rows.filter(({ expected }) => expected[2] !== null)
  const others = rows.filter(({ expected }) => expected[0] === null)
  expect([withOpcode.length, others.length].map((count) => count > 100)).toEqual([true, true])
  expect(rows.map(({ found }) => found)).toEqual(rows.map(({ expected }) => expected))
})

test('the migration fills the columns as a new database would have them', async () => {
  scratch = await scratchDatabase()
  await new BatchSink(scratch.pool).commitBatches(BATCHES)
  const checksums = async () => Object.fromEntries(await tableChecksums(scratch.db, CHECKED_TABLES))
  const expected = await checksums()
  await scratch.pool.query(`alter table traces drop column external_account_id,
    drop column external_body_hash8, drop column external_opcode`)
  await scratch.db.transaction().execute((transaction) => up(transaction as never))
  expect(await checksums()).toEqual(expected)
})
