import { type ScratchDatabase, sampleChainDatabase, scratchDatabase } from '@shardwalk/testkit'
import { sweptChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  BatchSink,
  CHECKED_TABLES,
  CLASSIFIED_TABLES,
  classifyWaiting,
  countUnclassified,
  type EncodedBatch,
  enqueueForClassifier,
  TRACE_STATE,
  tableChecksums,
} from '../src/index.ts'

// Traces and actions of the recorded chain.

/** Whose traces are examined. */
let whole: ScratchDatabase
/** Whose traces are classified several times. */
let scratch: ScratchDatabase
let batches: readonly EncodedBatch[]
let expected: string[]

beforeAll(async () => {
  batches = await sweptChain.batches()
  // A commit for every block costs ten times what one for fifty does, as in the sample.
  whole = isLong ? await scratchDatabase({ max: 8 }) : await sampleChainDatabase()
  scratch = isLong ? whole : await sweptChain.indexed()
  const sink = new BatchSink(scratch.pool)
  for (const batch of isLong ? batches : []) await sink.commitBatches([batch])
})
afterAll(async () => {
  await whole?.close()
  if (!isLong) await scratch?.close()
})

const rowsOf = async (text: string, { pool } = whole) => (await pool.query(text)).rows
const numberOf = async (text: string, database = whole) => Number((await rowsOf(text, database))[0].n)

test('every transaction is in one trace, named by the hash of its root', async () => {
  expect(await numberOf('select count(*) as n from transactions where trace_id_of(piece) is null')).toBe(0)
  expect(
    await rowsOf(`select r.trace_id from transactions t left join traces r on r.piece = root_of_piece(t.piece)
      group by r.trace_id, r.nodes having r.nodes is distinct from count(*)`),
  ).toEqual([])
  expect(
    await rowsOf(`select r.trace_id from traces r cross join lateral pieces_of_trace(r.piece) p(piece)
      left join transactions t on t.piece = p.piece
      group by r.trace_id, r.nodes having r.nodes is distinct from count(t.piece)`),
  ).toEqual([])
  expect(
    await rowsOf(`select r.trace_id from traces r
      left join transactions t on t.hash = r.trace_id and t.piece = r.piece
      where t.lt is distinct from r.start_lt or t.now <> r.start_utime
        or t.mc_block_seqno <> r.mc_seqno_start`),
  ).toEqual([])
})

test('a transaction is in the trace of the sender of its message', async () => {
  expect(
    await rowsOf(`select t.hash from transactions t join transactions s
        on s.account_id = t.in_msg_account_id and s.lt < t.in_msg_lt and s.lt + s.out_msg_count >= t.in_msg_lt
      where trace_id_of(s.piece) <> trace_id_of(t.piece)`),
  ).toEqual([])
})

test('counters and bounds of a trace are those of its transactions and messages', async () => {
  expect(
    await rowsOf(`with own as (
        select trace_id_of(t.piece) as trace_id, max(t.lt) as end_lt, max(t.now) as end_utime,
          max(t.mc_block_seqno) as mc_seqno_end,
          sum((t.in_msg_lt is not null and (t.in_msg_account_id is null or exists (
            select from transactions s where s.account_id = t.in_msg_account_id and s.lt < t.in_msg_lt
              and s.lt + s.out_msg_count >= t.in_msg_lt)))::int)
          + sum((select count(*) from messages m
            where m.kind = 2 and m.account_id = t.account_id and m.lt > t.lt
              and m.lt <= t.lt + t.out_msg_count)) as edges
        from transactions t group by 1)
      select r.trace_id from traces r join own o using (trace_id)
      where (r.end_lt, r.end_utime, r.mc_seqno_end, r.edges) is distinct from (o.end_lt, o.end_utime,
        o.mc_seqno_end, o.edges::int)`),
  ).toEqual([])
})

test('a trace is complete when all its messages were delivered', async () => {
  const states = await rowsOf(
    'select state, sum(pending_edges)::int as pending, count(*)::int as n from traces group by 1',
  )
  const byState = new Map(states.map((row) => [TRACE_STATE[row.state], row]))
  expect(byState.get('complete')?.pending).toBe(0)
  expect(byState.get('broken')).toBeUndefined()
  const open = await numberOf(`select count(*) as n from messages m where m.kind = 0 and m.flags & 8 = 0
    and not exists (select from transactions t
      where t.in_msg_account_id = m.account_id and t.in_msg_lt = m.lt)`)
  expect(open).toBe(byState.get('pending')?.pending ?? 0)
})

async function classifyAll(limit: number, workers = 1): Promise<string[]> {
  const work = async () => {
    while ((await classifyWaiting(scratch.pool, { limit, waitForFacts: false })).traces > 0);
  }
  await Promise.all(Array.from({ length: workers }, work))
  expect(await countUnclassified(scratch.pool)).toBe(0)
  const sums = await tableChecksums(scratch.db, CLASSIFIED_TABLES)
  return [...sums].map(([table, { rows, checksum }]) => `${table} ${rows} ${checksum}`)
}

test('the end of a trace is in the range of lt of the masterchain block that completes it', async () => {
  const count = (condition: string) =>
    numberOf(
      `select count(*) as n from traces r join blocks b on b.workchain = -1 and b.seqno = r.mc_seqno_end
      where r.state = 0 and ${condition}`,
      scratch,
    )
  expect(await count('true')).toBeGreaterThan(500)
  expect(await count('r.end_lt not between b.batch_start_lt and b.batch_end_lt')).toBe(0)
})

test('complete traces are classified, and each participating account is found', async () => {
  expected = await classifyAll(150)
  expect(await numberOf('select count(*) as n from classification_failures', scratch)).toBe(0)
  expect(
    await numberOf(
      `select count(*) as n from traces r where r.state = 0 and r.edges > 0 and r.nodes > 1
      and not exists (select from actions a where a.trace_id = r.trace_id)`,
      scratch,
    ),
  ).toBe(0)
  // In the order of lt, each once, the trace's id as one byte.
  expect(
    await numberOf(
      `select count(*) as n from actions a
      where tx_hashes_of(a.trace_id, a.tx_hashes) is distinct from (
          select string_agg(t.hash, ''::bytea order by t.lt, encode(t.hash, 'base64') collate "C")
          from tx_hashes_of(a.trace_id, a.tx_hashes) covered
          cross join lateral generate_series(1, length(covered), 32) place
          join transactions t on t.hash = substr(covered, place, 32))
        or substr(a.tx_hashes, 1, 32) = a.trace_id`,
      scratch,
    ),
  ).toBe(0)
  expect(
    await numberOf(
      `select count(*) as n from actions a, unnest(account_ids_in(account_ids)) id
      where not exists (select from action_accounts c
        where c.account_id = id and c.trace_bytes = substr(a.trace_id, 1, 7)
          and position(substr(a.action_id, 1, 7) in c.action_bytes) % 7 = 1)`,
      scratch,
    ),
  ).toBe(0)
  const types = await rowsOf(
    'select type, count(*)::int as n from actions group by 1 order by 2 desc',
    scratch,
  )
  expect(types.find(({ type }) => type === 'ton_transfer')?.n).toBeGreaterThan(100)
})

test('a range is queued for the classifier page by page, and can be continued after each', async () => {
  const { pool } = scratch
  const all = { from: 1, to: batches.length }
  const queued = () => rowsOf('delete from unclassified_traces returning trace_id', scratch)
  const count = await enqueueForClassifier(pool, all)
  expect(await queued()).toHaveLength(count)
  const pages: { readonly seqno: number; readonly traces: number }[] = []
  const onPage = (page: (typeof pages)[number]) => pages.push(page)
  expect(await enqueueForClassifier(pool, all, { onPage, pageRows: 20 })).toBe(count)
  expect(await queued()).toHaveLength(count)
  expect(pages.length).toBeGreaterThan(5)
  const { seqno, traces } = pages[3]!
  expect(await enqueueForClassifier(pool, { from: 1, to: seqno })).toBe(traces)
  expect(await enqueueForClassifier(pool, { from: seqno + 1, to: batches.length })).toBe(count - traces)
  expect(await queued()).toHaveLength(count)
})

test('actions do not depend on batch size, number of workers and order of blocks', async () => {
  expect(await enqueueForClassifier(scratch.pool, { from: 1, to: batches.length })).toBeGreaterThan(0)
  expect(await classifyAll(37, 2)).toEqual(expected)
  await scratch.pool.query(`truncate ${[...CHECKED_TABLES, ...CLASSIFIED_TABLES].join(', ')}`)
  const sink = new BatchSink(scratch.pool)
  const group = isLong ? 30 : 8
  for (let at = batches.length; at > 0; at -= group)
    await sink.commitBatches(batches.slice(Math.max(0, at - group), at))
  expect(await classifyAll(500)).toEqual(expected)
})

test('a repaired range gives the same actions', async () => {
  const range = isLong ? { from: 100, to: 120 } : { from: 30, to: 50 }
  await new BatchSink(scratch.pool).repairRange(range, batches.slice(range.from - 1, range.to))
  expect(await countUnclassified(scratch.pool)).toBeGreaterThan(0)
  expect(await classifyAll(500)).toEqual(expected)
})
