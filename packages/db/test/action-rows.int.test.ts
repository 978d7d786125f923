import { createHash } from 'node:crypto'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { up } from '../src/migrations/20261129020000_action_rows.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())

const BEFORE = `
  drop schema analytics cascade;
  alter table actions drop column tx_hashes, drop column ancestor_type;
  alter table actions add column tx_hashes bytea[] not null, add column ancestor_type text[] not null`

/** Not in the order of their bytes. */
const hashes = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, n) => createHash('sha256').update(String(n)).digest())

test('hashes of transactions are joined in their order, and empty arrays become null', async () => {
  await scratch.pool.query(BEFORE)
  const stored = [
    { count: 1, ancestors: [] },
    { count: 3, ancestors: ['jetton_swap', 'multisig_execute'] },
    { count: 300, ancestors: ['a, "b"'] },
    { count: 0, ancestors: [] },
  ]
  for (const { count, ancestors } of stored)
    await scratch.pool.query(
      `insert into actions (trace_id, action_id, type, success, start_lt, end_lt, start_utime, end_utime,
         trace_end_lt, trace_end_utime, trace_mc_seqno_end, classifier_version, account_ids, details,
         tx_hashes, ancestor_type)
       values ('', '', 'unknown', true, $1, 0, 0, 0, 0, 0, 0, 0, '{}', '{}', $2, $3)`,
      [count, hashes(count), ancestors],
    )
  await scratch.db.transaction().execute((db) => up(db as unknown as Kysely<unknown>))
  const { rows } = await scratch.pool.query(
    'select start_lt, tx_hashes, ancestor_type from actions order by ctid',
  )
  expect(rows).toEqual(
    stored.map(({ count, ancestors }) => ({
      start_lt: BigInt(count),
      tx_hashes: Buffer.concat(hashes(count)),
      ancestor_type: ancestors.length > 0 ? ancestors : null,
    })),
  )
})
