import { randomFrom, type ScratchDatabase, shuffled } from '@shardwalk/testkit'
import { classifyAll, inGroups, recordedBatches, sweptChain } from '@shardwalk/testkit/refresh-chain'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  applyWatch,
  BatchSink,
  decideTraces,
  deriveTokenEvents,
  type EncodedBatch,
  listIndexedRanges,
  listPartialRanges,
  queueStoredTraces,
  readWatchState,
  subjectText,
  type WatchSubject,
} from '../src/index.ts'
import { failingPool } from './failing-pool.ts'
import { type History, readHistory, wantedRows } from './watched-rows.ts'

// What is left under WATCH is computed independently from a database that keeps everything.

const SEED = testSeed()

let scratch: ScratchDatabase
let full: History
let batches: readonly EncodedBatch[]
let subjects: { readonly [K in WatchSubject['kind']]: WatchSubject }
const random = randomFrom(SEED)
/** A part of the chain, to be quick. */
const LAST = isLong ? 260 : 40
const GROUP = isLong ? 80 : 12
/** At least. */
const INTERRUPTIONS = 4

beforeAll(async () => {
  scratch = await sweptChain.classified()
  batches = await recordedBatches({ to: LAST })
  await empty()
  await new BatchSink(scratch.pool).commitBatches(batches)
  await examined()
  await classifyAll(scratch)
  full = await readHistory(scratch.pool)
  subjects = await chooseSubjects()
})
afterAll(() => scratch?.close())

/** One of each kind, neither of everything nor of nothing. */
async function chooseSubjects() {
  const one = async (statement: string) => {
    const { rows } = await scratch.pool.query(`${statement} order by md5($1::text || q::text) limit 1`, [
      SEED,
    ])
    return rows[0]!
  }
  const address = await one(`select a.workchain, a.address as hash from accounts a, lateral (select a.id) q
    where workchain = 0 and (select count(*) from transactions t where t.account_id = a.id) between 2 and 60`)
  const jetton = await one(`select a.workchain, a.address as hash from accounts a, lateral (select a.id) q
    where exists (select from jetton_wallets w join transactions t on t.account_id = w.account_id
      where w.jetton_id = a.id)`)
  const { hash } = await one(`select q.code_hash_after as hash from (
    select code_hash_after from transactions where code_hash_after is not null
    group by 1 having count(*) between 2 and 200) q`)
  return {
    address: { kind: 'address' as const, address },
    jetton: { kind: 'jetton' as const, address: jetton },
    code: { kind: 'code' as const, hash },
  }
}

/** What follows from single blocks is gone; what was found out about contracts stays known. */
async function empty(): Promise<void> {
  const chain = ['blocks', 'transactions', 'messages', 'latest_account_states', 'codes']
  const more = ['account_data', 'traces', 'trace_pieces', 'indexed_ranges', 'actions', 'action_accounts']
  const events = ['jetton_transfers', 'jetton_burns', 'nft_transfers', 'state_parts', 'asked_facts']
  const queues = ['refresh_queue', 'event_queue', 'unclassified_traces', 'missing_states', 'changed_facts']
  const watch = ['watched', 'partial_ranges', 'undecided_traces', 'watch_pass', 'classification_failures']
  await scratch.pool.query(`truncate ${[...chain, ...more, ...events, ...queues, ...watch].join(', ')}`)
}

/** Contracts count as examined; token events are derived. */
async function examined(): Promise<void> {
  while ((await deriveTokenEvents(scratch, { limit: 100 })) > 0);
  // In an order, because others write at the same time.
  for (const table of ['refresh_queue', 'missing_states'])
    await scratch.pool.query(
      `delete from ${table} where account_id in (
         select account_id from ${table} order by account_id for update skip locked)`,
    )
}

async function decideAll(): Promise<void> {
  await scratch.pool.query('update undecided_traces set due_at = now()')
  while (await queueStoredTraces(scratch.pool));
  for (;;) {
    const { looked } = await decideTraces(scratch.pool, { limit: 300 })
    if (looked === 0) return
  }
}

/** Every table of history has exactly the rows that are wanted. */
async function expectWanted(watch: readonly WatchSubject[]): Promise<void> {
  await classifyAll(scratch)
  const found = await readHistory(scratch.pool)
  const wanted = await wantedRows(full, watch)
  for (const [table, rows] of Object.entries(wanted.rows))
    expect([...found.rows[table]!.keys()].sort(), table).toEqual([...rows].sort())
  const all = full.rows['transactions']!.size
  const left = found.rows['transactions']!.size
  console.log(`${watch.map(subjectText).join(', ')}: ${left} of ${all} transactions`)
  expect(left).toBeLessThan(all)
  expect(wanted.traces).toBeGreaterThan(0)
  // Nothing is left to be done, and blocks are all there.
  expect(await readWatchState(scratch.db)).toMatchObject({ undecided: 0 })
  expect((await listIndexedRanges(scratch.db)).length).toBe(1)
}

type Order = (list: readonly EncodedBatch[]) => EncodedBatch[]

test.each<[string, Order, readonly WatchSubject['kind'][]]>([
  ['oldest first', (list) => [...list], ['address']],
  ['newest first', (list) => [...list].reverse(), ['jetton']],
  ['in random order', (list) => shuffled(list, random), ['address', 'code', 'jetton']],
])('%s: whole traces of what is watched remain, and nothing else', async (_, order, kinds) => {
  await empty()
  const watch = kinds.map((kind) => subjects[kind])
  await applyWatch(scratch.pool, watch)
  const sink = new BatchSink(scratch.pool)
  for (const group of inGroups(order(batches), GROUP)) {
    await sink.commitBatches(group)
    await examined()
    await decideAll()
  }
  await expectWanted(watch)
})

test('two writers and two that decide, interrupted again and again, leave the same', async () => {
  await empty()
  const watch = [subjects.address, subjects.jetton]
  await applyWatch(scratch.pool, watch)
  const groups = inGroups(shuffled(batches, random), isLong ? 30 : 6)
  let interruptions = 0
  const decide = async () => {
    while (groups.length > 0 || interruptions < INTERRUPTIONS)
      await decideTraces(failingPool(scratch.pool, Math.floor(random() * 40)), { limit: 40 }).catch(
        (error: Error) => {
          expect(error.message).toBe('interrupted')
          interruptions++
        },
      )
  }
  const write = async () => {
    const sink = new BatchSink(scratch.pool)
    for (let group = groups.pop(); group; group = groups.pop()) {
      await sink.commitBatches(group)
      await examined()
    }
  }
  await Promise.all([write(), write(), decide(), decide()])
  await examined()
  await decideAll()
  await expectWanted(watch)
})

test('what is watched in addition is filled by indexing once more, what is not is forgotten', async () => {
  const last = batches.at(-1)!.mcBlockSeqno
  const first = batches[0]!.mcBlockSeqno
  // From addresses and jettons to addresses and a code.
  const watch = [subjects.address, subjects.code]
  const change = await applyWatch(scratch.pool, watch)
  expect(change).toEqual({
    added: [subjectText(subjects.code)],
    removed: [subjectText(subjects.jetton)],
  })
  expect(await listPartialRanges(scratch.db)).toEqual([{ from: first, to: last }])
  expect(await readWatchState(scratch.db)).toMatchObject({
    subjects: watch.map(subjectText).sort(),
    partial: [{ subject: subjectText(subjects.code), ranges: [{ from: first, to: last }] }],
  })
  // Not a trace is decided before its blocks have everything.
  const before = (await readHistory(scratch.pool)).rows['transactions']!.size
  await decideAll()
  expect((await readHistory(scratch.pool)).rows['transactions']!.size).toBe(before)
  const sinks = [new BatchSink(scratch.pool), new BatchSink(scratch.pool)]
  const groups = inGroups(shuffled(batches, random), GROUP)
  for (const [index, group] of groups.entries()) {
    const { written } = await sinks[index % 2]!.commitBatches(group)
    expect(written).toHaveLength(group.length)
    await examined()
    await decideAll()
  }
  expect(await listPartialRanges(scratch.db)).toEqual([])
  await expectWanted(watch)
  // Indexed again, nothing is written.
  expect((await sinks[0]!.commitBatches(groups[0]!)).written).toEqual([])
})

test('a repair leaves what was there', async () => {
  const before = (await readHistory(scratch.pool)).rows
  const sink = new BatchSink(scratch.pool)
  for (const group of inGroups(batches, isLong ? 32 : 6).slice(2, 5)) {
    const [from, to] = [group[0]!.mcBlockSeqno, group.at(-1)!.mcBlockSeqno]
    await sink.repairRange({ from, to }, group)
    await examined()
    await decideAll()
  }
  await classifyAll(scratch)
  const after = (await readHistory(scratch.pool)).rows
  for (const [table, rows] of Object.entries(before))
    expect([...after[table]!.keys()].sort(), table).toEqual([...rows.keys()].sort())
})

test('without WATCH everything is wanted again, and a return to it lacks nothing', async () => {
  const last = batches.at(-1)!.mcBlockSeqno
  const half = batches.slice(0, batches.length / 2)
  expect(await applyWatch(scratch.pool, [])).toEqual({ added: ['everything'], removed: [] })
  expect(await readWatchState(scratch.db)).toMatchObject({
    subjects: [],
    partial: [{ subject: 'everything', ranges: [{ from: 1, to: last }] }],
  })
  const watch = [subjects.address, subjects.code]
  expect(await applyWatch(scratch.pool, watch)).toEqual({ added: [], removed: ['everything'] })
  expect(await listPartialRanges(scratch.db)).toEqual([])
  await applyWatch(scratch.pool, [])
  const sink = new BatchSink(scratch.pool)
  for (const group of inGroups([...half].reverse(), GROUP)) await sink.commitBatches(group)
  expect(await listPartialRanges(scratch.db)).toEqual([{ from: half.at(-1)!.mcBlockSeqno + 1, to: last }])
  for (const group of inGroups(batches, GROUP)) await sink.commitBatches(group)
  await examined()
  await classifyAll(scratch)
  const found = (await readHistory(scratch.pool)).rows
  for (const [table, rows] of Object.entries(full.rows))
    expect([...found[table]!.keys()].sort(), table).toEqual([...rows.keys()].sort())
})
