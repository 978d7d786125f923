import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import { fixtureChain, randomFrom, type ScratchDatabase, scratchDatabase, shuffled } from '@shardwalk/testkit'
import { isLong, randomCases } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  acceptEvent,
  BatchSink,
  claimEvents,
  deleteWebhook,
  discardDead,
  dropEvent,
  dueWebhooks,
  type EncodedBatch,
  encodeBatch,
  failEvent,
  failText,
  insertWebhook,
  limitOutbox,
  listWebhooks,
  makeWebhooksDueAfterSetBack,
  type NewWebhook,
  type OutboxEvent,
  passBlocks,
  prolongEvent,
  releaseEvent,
  retryWebhook,
} from '../src/index.ts'
import { enqueueBlockEvents } from '../src/webhooks/enqueue.ts'
import { statementsOf } from './statements-of.ts'

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const LAST = 120
const START = 40

let batches: EncodedBatch[]
/** Accounts with most transactions. */
let busy: RawAddress[]
let scratch: ScratchDatabase
let sink: BatchSink

beforeAll(async () => {
  batches = []
  const counts = new Map<string, { address: RawAddress; count: number }>()
  for await (const { batch, globalVersion } of fixtureChain({ to: LAST + 1 })) {
    batches.push(encodeBatch(batch, { globalVersion }))
    for (const { transactions } of [batch.masterchain, ...batch.shards])
      for (const { account } of transactions) {
        const key = formatRawAddress(account)
        counts.set(key, { address: account, count: (counts.get(key)?.count ?? 0) + 1 })
      }
  }
  busy = [...counts.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, 12)
    .map(({ address }) => address)
  scratch = await scratchDatabase()
  sink = new BatchSink(scratch.pool)
  await sink.commitBatches(upTo(START))
})
afterAll(() => scratch?.close())

beforeEach(async () => {
  await scratch.pool.query('truncate webhooks, webhook_accounts, webhook_secrets, webhook_outbox')
})

const upTo = (seqno: number) => batches.filter((batch) => batch.mcBlockSeqno <= seqno)
const query = async (text: string, values: unknown[] = []) => (await scratch.pool.query(text, values)).rows

const add = async (more: Partial<NewWebhook> = {}) => {
  const { id } = await insertWebhook(scratch.pool, {
    ...{ url: 'https://example.org/', types: ['transactions'], accounts: busy, after: START },
    ...more,
  })
  return id
}

/** What happened to the accounts of a webhook, by the tables of the chain. */
const happened = (id: number) =>
  query(
    `select distinct t.account_id, t.mc_block_seqno as mc_seqno from transactions t
     join webhook_accounts a on a.account_id = t.account_id and a.webhook_id = $1
     where t.mc_block_seqno > $2 order by 1, 2`,
    [id, START],
  )

const queued = (id: number, type: number) =>
  query(`select account_id, mc_seqno from webhook_outbox where webhook_id = $1 and type = $2 order by 1, 2`, [
    id,
    type,
  ])

/** Everything is written; the outbox is as if it had happened just now. */
async function refill(id: number): Promise<void> {
  await query('truncate webhook_outbox')
  await query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt)
     select distinct $1::int, t.account_id, t.mc_block_seqno, 0, 0 from transactions t
     join webhook_accounts a on a.account_id = t.account_id and a.webhook_id = $1
     where t.mc_block_seqno > $2 order by 3, 2`,
    [id, START],
  )
}

const dueOne = async (id: number) => (await dueWebhooks(scratch.db)).find((one) => one.id === id)
const LEASE = { limit: 100, leaseSeconds: 60 }

test('without webhooks, no statement is run for them', async () => {
  const next = batches.filter((batch) => batch.mcBlockSeqno === START + 1)
  const texts = (await statementsOf(scratch.pool, () => sink.commitBatches(next))).map(({ text }) => text)
  // The notice of the commit asks whether there are any.
  expect(texts.filter((text) => text.includes('webhook'))).toEqual([expect.stringContaining('pg_notify')])
})

test('what happens to an account is an event once, in whatever order blocks are written', async () => {
  console.log(`seed ${SEED}`)
  const all = await add({ types: ['transactions', 'account_state_change', 'actions'] })
  const one = await add({ accounts: busy.slice(0, 1), types: ['account_state_change'] })
  const later = await add({ after: LAST - 10 })
  const random = randomFrom(SEED)
  const rest = batches.filter((batch) => batch.mcBlockSeqno > START + 1 && batch.mcBlockSeqno <= LAST)
  // Twice, each time in another order; a group has a batch once.
  for (const order of [shuffled(rest, random), shuffled(rest, random)])
    for (let at = 0; at < order.length; at += 20) await sink.commitBatches(order.slice(at, at + 20))
  const expected = (await happened(all)).filter((row) => row['mc_seqno'] > START + 1)
  expect(expected.length).toBeGreaterThan(50)
  expect(await queued(all, 0)).toEqual(expected)
  expect(await queued(all, 1)).toEqual(expected)
  expect(await queued(all, 2)).toEqual([])
  expect(await queued(one, 0)).toEqual([])
  const accounts = new Set((await queued(one, 1)).map((row) => row['account_id']))
  expect(accounts.size).toBe(1)
  const late = await queued(later, 0)
  expect(late).toEqual(expected.filter((row) => row['mc_seqno'] > LAST - 10))
  await query('delete from webhook_outbox')
})

test('rows that are not committed are not sent', async () => {
  const id = await add()
  const next = batches.filter((batch) => batch.mcBlockSeqno === LAST + 1)
  expect(await sink.refusal(next)).toBeUndefined()
  expect(await queued(id, 0)).toEqual([])
  await sink.commitBatches(next)
  expect((await happened(id)).filter((row) => row['mc_seqno'] > LAST)).toEqual(await queued(id, 0))
})

test('a repair sends what was missing, not of what it replaces', async () => {
  const id = await add()
  const range = { from: 60, to: 62 }
  const replaced = batches.filter(({ mcBlockSeqno }) => mcBlockSeqno >= 60 && mcBlockSeqno <= 62)
  await sink.repairRange(range, replaced)
  expect(await queued(id, 0)).toEqual([])
  const [lost] = await query(
    `delete from transactions where (account_id, lt) in (
       select t.account_id, t.lt from transactions t join webhook_accounts a on a.account_id = t.account_id
       where t.mc_block_seqno between 60 and 62 and t.in_msg_lt is null and t.out_msg_count = 0
       order by t.lt limit 1)
     returning account_id, mc_block_seqno as mc_seqno`,
  )
  await sink.repairRange(range, replaced)
  expect(await queued(id, 0)).toEqual([lost])
})

test('of an account one event is under way at a time, in the order of blocks', async () => {
  const id = await add()
  await refill(id)
  const expected = await happened(id)
  const got: { account: bigint; seqno: number }[] = []
  for (let round = 0; got.length < expected.length && round < 1000; round++) {
    const due = (await dueOne(id))!
    // Two processes at once.
    const claims = await Promise.all([1, 2].map(() => claimEvents(scratch.db, due, { ...LEASE, limit: 7 })))
    const events = claims.flat()
    expect(new Set(events.map(({ accountId }) => accountId)).size).toBe(events.length)
    const others = await claimEvents(scratch.db, due, LEASE)
    for (const { accountId } of others)
      expect(events.map((event) => event.accountId)).not.toContain(accountId)
    for (const event of [...events, ...others]) {
      got.push({ account: event.accountId, seqno: event.mcBlockSeqno })
      await acceptEvent(scratch.db, event, undefined)
    }
  }
  expect(await dueOne(id)).toBeUndefined()
  for (const account of new Set(got.map((one) => one.account))) {
    const seqnos = got.filter((one) => one.account === account).map(({ seqno }) => seqno)
    expect(seqnos).toEqual([...seqnos].sort((a, b) => a - b))
  }
})

test('an event of a process that died is due again, and one that ends late changes nothing', async () => {
  const id = await add({ accounts: busy.slice(0, 1) })
  await refill(id)
  const due = (await dueOne(id))!
  const [first] = await claimEvents(scratch.db, due, LEASE)
  expect(await claimEvents(scratch.db, due, LEASE)).toEqual([])
  await query('update webhook_outbox set leased_until = now(), due_at = now() where leased_until is not null')
  const [again] = await claimEvents(scratch.db, due, LEASE)
  expect(again).toEqual({ ...first, attempts: 2 })
  // The first process wakes up and fails; the second one goes on.
  await failEvent(scratch.db, first!, { fault: 'late', eventDelay: 0, webhookDelay: 0, patience: 60 })
  const isProlonged = async () => {
    const end = `now() + interval '5 min'`
    const [row] = await query(
      `select leased_until > ${end} and due_at > ${end} as "is" from webhook_outbox where id = $1`,
      [first!.id],
    )
    return row.is
  }
  await prolongEvent(scratch.db, first!, 600)
  expect(await isProlonged()).toBe(false)
  await prolongEvent(scratch.db, again!, 600)
  expect(await isProlonged()).toBe(true)
  expect(await claimEvents(scratch.db, due, LEASE)).toEqual([])
  await releaseEvent(scratch.db, again!)
  await prolongEvent(scratch.db, again!, 600)
  expect(await claimEvents(scratch.db, due, LEASE)).toEqual([again])
})

test('after the clock of the database was set back, webhooks go on; what is put off waits', async () => {
  const id = await add({ accounts: busy.slice(0, 3) })
  await refill(id)
  const due = (await dueOne(id))!
  const [dead, failed] = await claimEvents(scratch.db, due, LEASE)
  await failEvent(scratch.db, failed!, { fault: 'x', eventDelay: 3_600, webhookDelay: 300, patience: 60 })
  const times = () => query('select id, due_at, leased_until from webhook_outbox order by id')
  const before = await times()
  expect(await makeWebhooksDueAfterSetBack(scratch.db)).toBe(0)
  expect(await times()).toEqual(before)
  // As seen by a clock that is two hours behind the former one.
  await query(`update webhooks set next_at = now() + interval '2 h'`)
  const later = (column: string) => `${column} = ${column} + interval '2 h'`
  await query(`update webhook_outbox set ${later('due_at')}, ${later('leased_until')}`)
  expect(await dueOne(id)).toBeUndefined()
  expect(await makeWebhooksDueAfterSetBack(scratch.db)).toBeGreaterThan(1)
  const claimed = await claimEvents(scratch.db, (await dueOne(id))!, LEASE)
  expect(claimed.map((event) => event.accountId).sort()).toEqual(
    (await query('select distinct account_id from webhook_outbox')).map((row) => row.account_id).sort(),
  )
  expect(claimed).toContainEqual({ ...dead, attempts: 2 })
  expect(await makeWebhooksDueAfterSetBack(scratch.db)).toBe(0)
})

test('an event in parts goes on after what was accepted', async () => {
  const id = await add({ accounts: busy.slice(0, 1) })
  await refill(id)
  const due = (await dueOne(id))!
  const [first] = await claimEvents(scratch.db, due, LEASE)
  await acceptEvent(scratch.db, first!, 50)
  const [second] = await claimEvents(scratch.db, due, LEASE)
  expect(second).toEqual({ ...first, sent: 50 })
})

test('events of blocks behind a gap wait until the gap is closed or passed over', async () => {
  const id = await add()
  await refill(id)
  const [range] = await query('select from_seqno, to_seqno from indexed_ranges')
  try {
    await query('update indexed_ranges set to_seqno = 79')
    await query('insert into indexed_ranges values (81, $1)', [range!['to_seqno']])
    const due = (await dueOne(id))!
    expect(due).toMatchObject({ horizon: 79, gapTo: 80 })
    for (let claimed = 1; claimed > 0; ) {
      const events = await claimEvents(scratch.db, due, LEASE)
      claimed = events.length
      for (const event of events) {
        expect(event.mcBlockSeqno).toBeLessThan(80)
        await acceptEvent(scratch.db, event, undefined)
      }
    }
    await passBlocks(scratch.db, id, 80)
    const passed = (await dueOne(id))!
    expect(passed).toMatchObject({ horizon: range!['to_seqno'], gapTo: null })
    expect((await claimEvents(scratch.db, passed, LEASE)).length).toBeGreaterThan(0)
  } finally {
    await query('delete from indexed_ranges')
    await query('insert into indexed_ranges values ($1, $2)', [range!['from_seqno'], range!['to_seqno']])
  }
})

test('actions wait for an earlier trace of their account, but not for ever', async () => {
  const id = await add({ types: ['actions'] })
  const [ends] = await query(
    `select t.account_id, min(r.end_lt) as earlier, max(r.end_lt) as later from transactions t
     join traces r on r.piece = root_of_piece(t.piece) join webhook_accounts a on a.account_id = t.account_id
     where r.state = 0 and r.edges > 0 and t.mc_block_seqno between 90 and 92
     group by 1 having count(distinct r.trace_id) > 1 limit 1`,
  )
  const { account_id: account, earlier, later } = ends as Record<string, bigint>
  await query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt, trace_id)
     select $1, $2, mc_seqno_end, 2, end_lt, trace_id from traces where end_lt = $3`,
    [id, account, later],
  )
  await query(
    `insert into unclassified_traces (trace_id, end_lt) select trace_id, end_lt from traces where end_lt = $1
     on conflict (trace_id) do update set queued_at = now()`,
    [earlier],
  )
  await query('delete from unclassified_traces where end_lt = $1', [later])
  const due = (await dueOne(id))!
  expect(await claimEvents(scratch.db, due, LEASE)).toEqual([])
  // What the passing of time does.
  await query('update webhook_outbox set due_at = now()')
  expect(await claimEvents(scratch.db, due, LEASE)).toEqual([])
  await query(`update unclassified_traces set queued_at = now() - interval '61 s'`)
  await query('update webhook_outbox set due_at = now()')
  expect(await claimEvents(scratch.db, due, LEASE)).toMatchObject([{ type: 'actions', lt: later }])
})

test('failures put off, end after three days, are shown, and are retried on demand', async () => {
  const id = await add({ accounts: busy.slice(0, 2) })
  await refill(id)
  const waiting = Number((await listWebhooks(scratch.db))[0]!.waiting)
  const fail = async (fault: string) => {
    const [event] = await claimEvents(scratch.db, (await dueOne(id))!, { ...LEASE, limit: 1 })
    await failEvent(scratch.db, event!, { fault, eventDelay: 3600, webhookDelay: 0, patience: 259_200 })
    return event!
  }
  const event = await fail('status 500')
  await fail('status 502')
  expect(await dueOne(id)).toBeUndefined()
  expect(await claimEvents(scratch.db, { id, horizon: LAST }, LEASE)).toEqual([])
  expect(await listWebhooks(scratch.db)).toMatchObject([
    {
      failures: 2,
      fault: 'status 502',
      dead: 0,
      waiting,
      givenUpAt: undefined,
      failingSince: expect.any(Date),
    },
  ])
  await query(
    `update webhook_outbox set due_at = now(), failing_since = failing_since - interval '73 hours'
    where id = $1`,
    [event.id],
  )
  await fail('status 500')
  expect(await listWebhooks(scratch.db)).toMatchObject([
    {
      ...{ givenUpAt: undefined, waiting: waiting - 1, dead: 1 },
      lastDead: { type: 'transactions', mcBlockSeqno: event.mcBlockSeqno, fault: 'status 500' },
    },
  ])
  // The next event of its account is due.
  const next = await claimEvents(scratch.db, (await dueOne(id))!, LEASE)
  expect(next.map(({ accountId }) => accountId)).toEqual([event.accountId])
  expect(next[0]!.id).not.toBe(event.id)
  await query(`update webhooks set failing_since = failing_since - interval '73 hours'`)
  await failEvent(scratch.db, next[0]!, { fault: 'x', eventDelay: 1, webhookDelay: 1, patience: 259_200 })
  expect(await listWebhooks(scratch.db)).toMatchObject([{ givenUpAt: expect.any(Date), dead: 1 }])
  expect(await dueOne(id)).toBeUndefined()
  expect(await retryWebhook(scratch.db, id)).toEqual({ events: 3, missed: undefined })
  // What was given up comes first again.
  const retried = await claimEvents(scratch.db, (await dueOne(id))!, LEASE)
  expect(retried).toHaveLength(2)
  expect(retried.map((one) => one.id)).toContain(event.id)
  expect(await listWebhooks(scratch.db)).toMatchObject([{ givenUpAt: undefined, dead: 0, waiting }])
  expect(await retryWebhook(scratch.db, id + 1000)).toBeUndefined()
})

test('a clock that jumps ahead ends no deliveries', async () => {
  const id = await add({ accounts: busy.slice(0, 1) })
  await refill(id)
  const least = { leastAttempts: 3, leastFailures: 4 }
  const fail = async () => {
    await query(`update webhook_outbox set due_at = now(), failing_since = failing_since - interval '4 days'
      where failing_since is not null and given_up_at is null`)
    await query(`update webhooks set failing_since = failing_since - interval '4 days'`)
    const [event] = await claimEvents(scratch.db, (await dueOne(id))!, LEASE)
    const failure = { fault: 'x', eventDelay: 1, webhookDelay: 0, patience: 259_200, ...least }
    return failEvent(scratch.db, event!, failure)
  }
  expect([await fail(), await fail(), await fail()]).toEqual([false, false, true])
  expect(await listWebhooks(scratch.db)).toMatchObject([{ givenUpAt: undefined, failures: 3, dead: 1 }])
  expect(await fail()).toBe(false)
  expect(await listWebhooks(scratch.db)).toMatchObject([{ givenUpAt: expect.any(Date), failures: 4 }])
})

test('an event whose text cannot be written is given up with the reason; its account goes on', async () => {
  const id = await add({ accounts: busy.slice(0, 1) })
  await refill(id)
  const claim = async () => (await claimEvents(scratch.db, (await dueOne(id))!, LEASE))[0]!
  const again = (text: string) =>
    query(`update webhook_outbox set due_at = now(), ${text} where failing_since is not null`)
  const first = await claim()
  await failEvent(scratch.db, first, { fault: 'status 500', eventDelay: 1, webhookDelay: 0, patience: 9999 })
  await again(`failing_since = now() - interval '1 hour'`)
  const failure = { fault: 'Error: no such row', eventDelay: 60, patience: 900 }
  // How long the receiver refused it does not count.
  expect(await failText(scratch.db, await claim(), failure)).toBe(false)
  expect(await claimEvents(scratch.db, { id, horizon: LAST }, LEASE)).toEqual([])
  await again(`failing_since = now() - interval '16 minutes'`)
  expect(await failText(scratch.db, await claim(), failure)).toBe(true)
  expect(await listWebhooks(scratch.db)).toMatchObject([
    { dead: 1, failures: 1, lastDead: { account: busy[0], fault: 'cannot be written: Error: no such row' } },
  ])
  const next = await claim()
  expect(next.mcBlockSeqno).toBeGreaterThan(first.mcBlockSeqno)
  expect(await discardDead(scratch.db, id)).toBe(1)
  expect(await listWebhooks(scratch.db)).toMatchObject([{ dead: 0, lastDead: undefined }])
})

test('a claim reads what is due, however many accounts wait', async () => {
  const id = await add()
  await refill(id)
  const due = (await dueOne(id))!
  // Their first events are put off.
  await query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt, due_at)
     select $1, -i, ${START} + k, 0, 0, case when k = 1 then now() + interval '1 hour' end
     from generate_series(1, $2::int) i, generate_series(1, 2) k`,
    [id, isLong ? 100_000 : 10_000],
  )
  await query('analyze webhook_outbox')
  await scratch.db.connection().execute(async (one) => {
    const readRows = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(one)
      const { rows } = await sql<{ reads: string }>`
        select (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'webhook_outbox')
          + (select seq_tup_read from pg_stat_user_tables where relname = 'webhook_outbox') as reads`.execute(
        one,
      )
      return Number(rows[0]!.reads)
    }
    const before = await readRows()
    expect(await claimEvents(one, due, { ...LEASE, limit: 4 })).toHaveLength(4)
    expect((await readRows()) - before).toBeLessThan(2_000)
  })
})

/** A webhook of some accounts, for which events are written, claimed and ended in any order. */
class Disorder {
  written = 0
  taken = 0
  /** Claimed events by account. */
  private readonly held = new Map<bigint, OutboxEvent>()

  constructor(
    private readonly id: number,
    private readonly accounts: readonly bigint[],
    private readonly random: () => number,
  ) {}

  /** An event is written, beside anything else twice. */
  async step(): Promise<void> {
    const { acts } = this
    await Promise.all([this.write(), acts[this.below(acts.length)]!(), acts[1 + this.below(4)]!()])
  }

  /** All that is left is claimed and accepted. */
  async end(): Promise<void> {
    for (const event of this.held.values()) await releaseEvent(scratch.db, event)
    await retryWebhook(scratch.db, this.id)
    for (let events = 1; events > 0; ) {
      const claimed = await claimEvents(scratch.db, { id: this.id, horizon: LAST }, LEASE)
      events = claimed.length
      this.taken += events
      for (const event of claimed) await acceptEvent(scratch.db, event, undefined)
    }
  }

  private readonly acts: readonly (() => Promise<void>)[] = [
    () => this.write(),
    () => this.claim(),
    () => this.take(),
    () => this.fail(),
    () => this.lose(),
  ]

  private async write(): Promise<void> {
    const seqnos = Array.from({ length: 1 + this.below(4) }, () => START + 1 + this.below(60))
    this.written += seqnos.length
    await query(
      `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt)
       select $1, $2, seqno, 0, 0 from unnest($3::int[]) seqno`,
      [this.id, this.accounts[this.below(this.accounts.length)], seqnos],
    )
  }

  private async claim(): Promise<void> {
    const options = { ...LEASE, limit: 2 }
    for (const event of await claimEvents(scratch.db, { id: this.id, horizon: LAST }, options)) {
      expect(this.held.has(event.accountId)).toBe(false)
      this.held.set(event.accountId, event)
    }
  }

  private async take(): Promise<void> {
    const event = this.letGo()
    if (!event) return
    this.taken++
    await (this.below(2) === 0 ? acceptEvent(scratch.db, event, undefined) : dropEvent(scratch.db, event))
  }

  private async fail(): Promise<void> {
    const event = this.letGo()
    const [eventDelay, patience] = [this.below(2) * 3600, this.below(4) === 0 ? -1 : 3600]
    if (event) await failEvent(scratch.db, event, { fault: 'x', eventDelay, webhookDelay: 0, patience })
  }

  /** As if its process had died long ago. */
  private async lose(): Promise<void> {
    const event = this.letGo()
    const end = 'update webhook_outbox set leased_until = now(), due_at = now() where id = $1'
    if (event) await query(end, [event.id])
  }

  private letGo(): OutboxEvent | undefined {
    const event = [...this.held.values()][this.below(this.held.size)]
    if (event) this.held.delete(event.accountId)
    return event
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit)
  }
}

test('no event waits for ever, whatever comes before it, fails, is given up or has no process', async () => {
  console.log(`seed ${SEED}`)
  const id = await add({ accounts: busy.slice(0, 4) })
  const accounts = await query('select account_id from webhook_accounts')
  const disorder = new Disorder(
    id,
    accounts.map((row) => row['account_id'] as bigint),
    randomFrom(SEED),
  )
  const stuck = `select account_id from webhook_outbox where given_up_at is null
    group by 1 having count(due_at) = 0`
  for (let step = 0; step < randomCases(250); step++) {
    await disorder.step()
    expect(await query(stuck), `step ${step}`).toEqual([])
  }
  await disorder.end()
  expect(await query('select from webhook_outbox')).toEqual([])
  expect(disorder.taken).toBe(disorder.written)
})

test('a success is noted, and ends a row of failures', async () => {
  const id = await add({ accounts: busy.slice(0, 1) })
  await refill(id)
  const [event] = await claimEvents(scratch.db, (await dueOne(id))!, LEASE)
  await failEvent(scratch.db, event!, { fault: 'x', eventDelay: 0, webhookDelay: 0, patience: 60 })
  const [again] = await claimEvents(scratch.db, (await dueOne(id))!, LEASE)
  await acceptEvent(scratch.db, again!, undefined)
  expect(await listWebhooks(scratch.db)).toMatchObject([
    { failures: 0, failingSince: undefined, fault: undefined, succeededAt: expect.any(Date) },
  ])
})

test('an event of which nothing is left goes, and the row of failures goes on', async () => {
  const id = await add({ accounts: busy.slice(0, 1) })
  await refill(id)
  const [event] = await claimEvents(scratch.db, (await dueOne(id))!, LEASE)
  await failEvent(scratch.db, event!, { fault: 'x', eventDelay: 0, webhookDelay: 0, patience: 60 })
  const { waiting } = (await listWebhooks(scratch.db))[0]!
  const [again] = await claimEvents(scratch.db, (await dueOne(id))!, LEASE)
  await dropEvent(scratch.db, again!)
  expect(await listWebhooks(scratch.db)).toMatchObject([
    { waiting: waiting - 1, failures: 1, failingSince: expect.any(Date), succeededAt: undefined },
  ])
})

test('a webhook for which too much waits, if only slow, says from where events are missing', async () => {
  const id = await add()
  await refill(id)
  expect(await limitOutbox(scratch.db, 1_000_000)).toEqual([])
  expect((await listWebhooks(scratch.db))[0]!.fullSeqno).toBeUndefined()
  const [range] = await query('select to_seqno from indexed_ranges')
  const fullSeqno = range!['to_seqno'] as number
  expect(await limitOutbox(scratch.db, 10)).toEqual([{ id, fullSeqno }])
  expect(await limitOutbox(scratch.db, 10)).toEqual([])
  expect((await listWebhooks(scratch.db))[0]!.fullSeqno).toBe(fullSeqno)
  expect(await retryWebhook(scratch.db, id)).toMatchObject({ missed: { after: fullSeqno, to: fullSeqno } })
  expect((await listWebhooks(scratch.db))[0]!.fullSeqno).toBeUndefined()
})

test('what is sent late of blocks before a webhook was full is kept', async () => {
  const id = await add()
  await query('update webhooks set full_seqno = 80')
  const client = await scratch.pool.connect()
  try {
    const seqnos = Array.from({ length: LAST - START }, (_, index) => START + 1 + index)
    await enqueueBlockEvents(client, { seqnos, from: 0n, to: 1n << 62n, isRepair: false })
  } finally {
    client.release()
  }
  expect(await queued(id, 0)).toEqual((await happened(id)).filter((row) => row['mc_seqno'] <= 80))
})

test('a removed webhook leaves nothing behind', async () => {
  const [id, other] = [await add(), await add()]
  await refill(id)
  expect(await deleteWebhook(scratch.db, id)).toBe(true)
  expect(await deleteWebhook(scratch.db, id)).toBe(false)
  for (const table of ['webhook_accounts', 'webhook_secrets', 'webhook_outbox'])
    expect(await query(`select from ${table} where webhook_id = $1`, [id]), table).toEqual([])
  // What a batch wrote at the same time.
  await refill(other)
  await query('update webhook_outbox set webhook_id = $1 where mc_seqno < 80', [id])
  await limitOutbox(scratch.db, 1_000_000)
  expect(await query('select distinct webhook_id from webhook_outbox')).toEqual([{ webhook_id: other }])
})
