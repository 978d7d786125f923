import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { archiveRange, BatchSink, classifyWaiting } from '../src/index.ts'

// What the classifier does while an archive server is away.

const BLOCKS = 60
let scratch: ScratchDatabase
let far: ScratchDatabase
/** First lt after what is on the archive server. */
let end: bigint

const query = async (text: string, values: readonly unknown[] = []) =>
  (await scratch.pool.query(text, [...values])).rows
const classify = () => classifyWaiting(scratch.pool, { waitForFacts: false })

beforeAll(async () => {
  ;[scratch, far] = await Promise.all([scratchDatabase(), scratchDatabase({ migrated: false })])
  const batches = await recordedBatches({ to: BLOCKS })
  const ends = batches.flatMap(({ ltRange }) => ltRange ?? [])
  const partitionWidth = (ends.at(-1)!.to - ends[0]!.from) / 4n
  await new BatchSink(scratch.pool, { partitionWidth }).commitBatches(batches)
  while ((await classify()).traces > 0);
  const moved = await archiveRange(scratch, { range: { from: 1, to: BLOCKS - 15 }, url: far.url })
  end = moved!.at(-1)!.to
  const [server] = await query(
    `select srvname from pg_foreign_server where srvname like 'shardwalk_archive_%'`,
  )
  await query(`alter server "${server!.srvname}" options (set port '1')`)
  await query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname in (current_database(), '${new URL(far.url).pathname.slice(1)}')
      and application_name = 'postgres_fdw'`)
})
afterAll(async () => {
  await scratch?.close()
  await far?.close()
})
beforeEach(() => query('truncate unclassified_traces, changed_facts, classification_failures'))

const traceIds = async (condition: string, limit: number): Promise<readonly Buffer[]> =>
  (
    await query(
      `select trace_id from traces r where state = 0 and edges > 0 and ${condition}
         and exists (select from actions a where a.trace_id = r.trace_id) order by end_lt desc limit $2`,
      [end, limit],
    )
  ).map((row) => row.trace_id)
const enqueue = (ids: readonly Buffer[]) =>
  query(
    `insert into unclassified_traces (trace_id, end_lt)
     select trace_id, end_lt from traces where trace_id = any($1)`,
    [ids],
  )
const actionsOf = async (ids: readonly Buffer[]) =>
  (await query('select count(*)::int as n from actions where trace_id = any($1)', [ids]))[0]!.n

test('a trace on an archive server that is away keeps its actions; the others are classified', async () => {
  const there = await traceIds('end_lt < $1', 3)
  const here = await traceIds('start_lt > $1', 3)
  const before = await actionsOf(there)
  expect([there.length, here.length]).toEqual([3, 3])
  await enqueue([...there, ...here])
  expect(await classify()).toMatchObject({ traces: 3, failed: 0 })
  expect(await classify()).toMatchObject({ traces: 0 })
  expect(await actionsOf(there)).toBe(before)
  expect(await query('select from classification_failures')).toEqual([])
  expect(await query('select from unclassified_traces where trace_id = any($1)', [there])).toHaveLength(3)
})

test('a changed contract with rows on an archive server that is away does not hold up others', async () => {
  const [both] = await query(
    `select account_id from accounts a join transactions t on t.account_id = a.id
     where t.lt > $1 and exists (select from active_ranges(a.id, false) where from_lt < $1) limit 1`,
    [end],
  )
  const [young] = await traceIds('start_lt > $1', 1)
  await query('insert into changed_facts (account_id) values ($1)', [both!.account_id])
  await enqueue([young!])
  let traces = 0
  for (let done = await classify(); done.traces > 0; done = await classify()) traces += done.traces
  expect(traces).toBeGreaterThan(1)
  expect(await query('select account_id, below_lt from changed_facts')).toEqual([
    { account_id: both!.account_id, below_lt: end },
  ])
})

test('a trace for which a statement is cancelled keeps its actions and waits', async () => {
  const [one] = await traceIds('start_lt > $1', 1)
  const before = await actionsOf([one!])
  await enqueue([one!])
  await query(`create function cancelled() returns trigger language plpgsql as
    $$ begin raise exception 'cancelled' using errcode = 'query_canceled'; end $$`)
  await query('create trigger cancelled before delete on actions execute function cancelled()')
  expect(await classify()).toMatchObject({ traces: 0 })
  await query('drop trigger cancelled on actions')
  expect(await actionsOf([one!])).toBe(before)
  await query('update unclassified_traces set queued_at = now()')
  expect(await classify()).toMatchObject({ traces: 1, failed: 0 })
})
