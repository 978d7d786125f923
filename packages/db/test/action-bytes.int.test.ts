import { createHash } from 'node:crypto'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { up } from '../src/migrations/20261129030000_action_bytes.ts'

let scratch: ScratchDatabase

/** The table before the migration, as far as it looks at it. */
const BEFORE = `
  drop schema if exists analytics cascade;
  drop function account_ids_in, tx_hashes_of;
  alter table actions drop column account_ids;
  alter table actions add column account_ids bigint[] not null;
  create index actions_mc_seqno on actions (trace_mc_seqno_end)`

beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())

const [ROOT, ...OTHERS] = Array.from({ length: 301 }, (_, n) =>
  createHash('sha256').update(String(n)).digest(),
) as [Buffer, ...Buffer[]]

const STORED = [
  { hashes: [ROOT], ids: [5n] },
  { hashes: [ROOT, ...OTHERS], ids: [-(2n ** 63n), -1n, 0n, 255n, 2n ** 63n - 1n] },
  { hashes: OTHERS.slice(0, 2), ids: [] },
  // Not at the beginning: as any other.
  { hashes: [OTHERS[0]!, ROOT], ids: [1n, 1n] },
  { hashes: [], ids: [-2n] },
]

test('hashes and account ids of actions are read as before, the id of the trace takes one byte', async () => {
  await scratch.pool.query(BEFORE)
  for (const [at, { hashes, ids }] of STORED.entries())
    await scratch.pool.query(
      `insert into actions (trace_id, action_id, type, success, start_lt, end_lt, start_utime, end_utime,
         trace_end_lt, trace_end_utime, trace_mc_seqno_end, classifier_version, details, tx_hashes,
         account_ids)
       values ($1, '', 'unknown', true, $2, 0, 0, 0, 0, 0, 0, 0, '{}', $3, $4)`,
      [ROOT, at, Buffer.concat(hashes), ids],
    )
  await scratch.db.transaction().execute((db) => up(db as unknown as Kysely<unknown>))
  const { rows } = await scratch.pool.query(
    `select tx_hashes_of(trace_id, tx_hashes) as hashes, account_ids_in(account_ids) as ids,
       length(tx_hashes) as bytes, length(account_ids) as bytes_of_ids
     from actions order by start_lt`,
  )
  expect(rows).toEqual(
    STORED.map(({ hashes, ids }) => ({
      hashes: Buffer.concat(hashes),
      ids,
      bytes: 32 * hashes.length - (hashes[0] === ROOT ? 31 : 0),
      bytes_of_ids: 8 * ids.length,
    })),
  )
})
