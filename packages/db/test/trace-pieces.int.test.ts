import {
  endlessTraceBatch,
  randomFrom,
  type ScratchDatabase,
  scratchDatabase,
  shuffled,
} from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { testSeed } from '@shardwalk/testkit/runs'
import { afterEach, expect, test } from 'vitest'
import { BatchSink, CHECKED_TABLES, encodeBatch, tableChecksums } from '../src/index.ts'
import { up } from '../src/migrations/20261123091000_trace_pieces.ts'

// Pieces of traces: their rows, and those of a database that named traces instead.

let scratch: ScratchDatabase
afterEach(() => scratch?.close())

const checksums = async () => Object.fromEntries(await tableChecksums(scratch.db, CHECKED_TABLES))
const rowsOf = async (text: string) => (await scratch.pool.query(text)).rows

const LENGTH = 300
const endless = Array.from({ length: LENGTH }, (_, index) => {
  const { batch, globalVersion } = endlessTraceBatch(index + 1)
  return encodeBatch(batch, { globalVersion })
})

test.each([
  ['oldest first', endless],
  ['newest first', [...endless].reverse()],
  ['in random order', shuffled(endless, randomFrom(testSeed()))],
])('an endless trace, %s, leaves one trace with all its pieces', async (_, order) => {
  scratch = await scratchDatabase()
  const sink = new BatchSink(scratch.pool)
  for (let at = 0, size = 1; at < order.length; at += size++)
    await sink.commitBatches(order.slice(at, at + size))
  expect(await rowsOf('select nodes, edges, pending_edges, state, mc_seqno_start from traces')).toEqual([
    { nodes: LENGTH, edges: LENGTH, pending_edges: 1, state: 1, mc_seqno_start: 1 },
  ])
  expect(
    await rowsOf(`select count(*)::int as n, count(distinct trace_id_of(t.piece))::int as traces,
      count(distinct root_of_piece(t.piece))::int as roots from transactions t`),
  ).toEqual([{ n: LENGTH, traces: 1, roots: 1 }])
  expect(
    await rowsOf('select count(distinct p)::int as n from traces r, pieces_of_trace(r.piece) p'),
  ).toEqual([{ n: LENGTH }])
  const rows = await rowsOf('select piece >> 32 as piece, ancestor >> 32 as ancestor from trace_pieces')
  const ancestorOf = (seqno: number) => Number(rows.find(({ piece }) => Number(piece) === seqno).ancestor)
  expect([9, 15, 16, 63, 64, 65, 200].map(ancestorOf)).toEqual([8, 8, 1, 56, 1, 64, 192])
})

test('a repair in the middle of a trace leaves the same tables', async () => {
  scratch = await scratchDatabase()
  const sink = new BatchSink(scratch.pool)
  await sink.commitBatches(endless.slice(0, 100))
  const expected = await checksums()
  await sink.repairRange({ from: 40, to: 70 }, endless.slice(39, 70))
  expect(await checksums()).toEqual(expected)
})

/** Undoes the migration. */
const FORMER = [
  `do $$ declare v text; begin
    for v in select relname from pg_class where relnamespace = 'analytics'::regnamespace and relkind = 'v'
    loop execute format('drop view if exists analytics.%I cascade', v); end loop;
  end $$`,
  'alter table transactions add column trace_id bytea',
  'update transactions set trace_id = trace_id_of(piece)',
  "create index transactions_trace_id on transactions using hash (trace_id) with (fillfactor = '90')",
  'drop function root_of_piece, trace_id_of, pieces_of_trace',
  'drop table trace_pieces',
  'alter table transactions drop column piece',
  'alter table traces drop column piece',
]

test('the migration leaves the tables that a new database would have', async () => {
  scratch = await scratchDatabase()
  const sink = new BatchSink(scratch.pool)
  // The end of the chain as well as its beginning is missing, so that some traces are open at both ends.
  await sink.commitBatches((await recordedBatches({ to: 400 })).slice(99))
  const expected = await checksums()
  for (const statement of FORMER) await scratch.pool.query(statement)
  await scratch.db.transaction().execute((transaction) => up(transaction as never))
  expect(await checksums()).toEqual(expected)
})
