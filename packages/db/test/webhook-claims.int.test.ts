import { randomFrom, type ScratchDatabase } from '@shardwalk/testkit'
import { isLong, randomCases, testSeed } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  acceptEvent,
  claimEvents,
  dropEvent,
  failEvent,
  makeWebhooksDueAfterSetBack,
  type OutboxEvent,
  passBlocks,
  prolongEvent,
  releaseEvent,
  retryWebhook,
} from '../src/index.ts'
import { LAST, LEASE, Outbox, START } from './outbox.ts'

let outbox: Outbox
let db: ScratchDatabase['db']

beforeAll(async () => {
  outbox = await Outbox.open()
  db = outbox.scratch.db
})
afterAll(() => outbox?.scratch.close())
beforeEach(() => outbox.clear())

test('of an account one event is under way at a time, in the order of blocks', async () => {
  const id = await outbox.add()
  await outbox.refill(id)
  const expected = await outbox.happened(id)
  const got: { account: bigint; seqno: number }[] = []
  for (let round = 0; got.length < expected.length && round < 1000; round++) {
    const due = (await outbox.dueOne(id))!
    // Two processes at once.
    const claims = await Promise.all([1, 2].map(() => claimEvents(db, due, { ...LEASE, limit: 7 })))
    const events = claims.flat()
    expect(new Set(events.map(({ accountId }) => accountId)).size).toBe(events.length)
    const others = await claimEvents(db, due, LEASE)
    for (const { accountId } of others)
      expect(events.map((event) => event.accountId)).not.toContain(accountId)
    for (const event of [...events, ...others]) {
      got.push({ account: event.accountId, seqno: event.mcBlockSeqno })
      await acceptEvent(db, event, undefined)
    }
  }
  expect(await outbox.dueOne(id)).toBeUndefined()
  for (const account of new Set(got.map((one) => one.account))) {
    const seqnos = got.filter((one) => one.account === account).map(({ seqno }) => seqno)
    expect(seqnos).toEqual([...seqnos].sort((a, b) => a - b))
  }
})

test('an event of a process that died is due again, and one that ends late changes nothing', async () => {
  const id = await outbox.add({ accounts: outbox.busy.slice(0, 1) })
  await outbox.refill(id)
  const due = (await outbox.dueOne(id))!
  const [first] = await claimEvents(db, due, LEASE)
  expect(await claimEvents(db, due, LEASE)).toEqual([])
  await outbox.query(
    'update webhook_outbox set leased_until = now(), due_at = now() where leased_until is not null',
  )
  const [again] = await claimEvents(db, due, LEASE)
  expect(again).toEqual({ ...first, attempts: 2 })
  // The first process wakes up and fails; the second one goes on.
  await failEvent(db, first!, { fault: 'late', eventDelay: 0, webhookDelay: 0, patience: 60 })
  const isProlonged = async () => {
    const end = `now() + interval '5 min'`
    const [row] = await outbox.query(
      `select leased_until > ${end} and due_at > ${end} as "is" from webhook_outbox where id = $1`,
      [first!.id],
    )
    return row.is
  }
  await prolongEvent(db, first!, 600)
  expect(await isProlonged()).toBe(false)
  await prolongEvent(db, again!, 600)
  expect(await isProlonged()).toBe(true)
  expect(await claimEvents(db, due, LEASE)).toEqual([])
  await releaseEvent(db, again!)
  await prolongEvent(db, again!, 600)
  expect(await claimEvents(db, due, LEASE)).toEqual([again])
})

test('after the clock of the database was set back, webhooks go on; what is put off waits', async () => {
  const id = await outbox.add({ accounts: outbox.busy.slice(0, 3) })
  await outbox.refill(id)
  const due = (await outbox.dueOne(id))!
  const [dead, failed] = await claimEvents(db, due, LEASE)
  await failEvent(db, failed!, { fault: 'x', eventDelay: 3_600, webhookDelay: 300, patience: 60 })
  const times = () => outbox.query('select id, due_at, leased_until from webhook_outbox order by id')
  const before = await times()
  expect(await makeWebhooksDueAfterSetBack(db)).toBe(0)
  expect(await times()).toEqual(before)
  // As seen by a clock that is two hours behind the former one.
  await outbox.query(`update webhooks set next_at = now() + interval '2 h'`)
  const later = (column: string) => `${column} = ${column} + interval '2 h'`
  await outbox.query(`update webhook_outbox set ${later('due_at')}, ${later('leased_until')}`)
  expect(await outbox.dueOne(id)).toBeUndefined()
  expect(await makeWebhooksDueAfterSetBack(db)).toBeGreaterThan(1)
  const claimed = await claimEvents(db, (await outbox.dueOne(id))!, LEASE)
  expect(claimed.map((event) => event.accountId).sort()).toEqual(
    (await outbox.query('select distinct account_id from webhook_outbox'))
      .map((row) => row.account_id)
      .sort(),
  )
  expect(claimed).toContainEqual({ ...dead, attempts: 2 })
  expect(await makeWebhooksDueAfterSetBack(db)).toBe(0)
})

test('an event in parts goes on after what was accepted', async () => {
  const id = await outbox.add({ accounts: outbox.busy.slice(0, 1) })
  await outbox.refill(id)
  const due = (await outbox.dueOne(id))!
  const [first] = await claimEvents(db, due, LEASE)
  await acceptEvent(db, first!, 50)
  const [second] = await claimEvents(db, due, LEASE)
  expect(second).toEqual({ ...first, sent: 50 })
})

test('events of blocks behind a gap wait until the gap is closed or passed over', async () => {
  const id = await outbox.add()
  await outbox.refill(id)
  const [range] = await outbox.query('select from_seqno, to_seqno from indexed_ranges')
  try {
    await outbox.query('update indexed_ranges set to_seqno = 79')
    await outbox.query('insert into indexed_ranges values (81, $1)', [range!['to_seqno']])
    const due = (await outbox.dueOne(id))!
    expect(due).toMatchObject({ horizon: 79, gapTo: 80 })
    for (let claimed = 1; claimed > 0; ) {
      const events = await claimEvents(db, due, LEASE)
      claimed = events.length
      for (const event of events) {
        expect(event.mcBlockSeqno).toBeLessThan(80)
        await acceptEvent(db, event, undefined)
      }
    }
    await passBlocks(db, id, 80)
    const passed = (await outbox.dueOne(id))!
    expect(passed).toMatchObject({ horizon: range!['to_seqno'], gapTo: null })
    expect((await claimEvents(db, passed, LEASE)).length).toBeGreaterThan(0)
  } finally {
    await outbox.query('delete from indexed_ranges')
    await outbox.query('insert into indexed_ranges values ($1, $2)', [
      range!['from_seqno'],
      range!['to_seqno'],
    ])
  }
})

test('actions wait for an earlier trace of their account, but not for ever', async () => {
  const id = await outbox.add({ types: ['actions'] })
  const [ends] = await outbox.query(
    `select t.account_id, min(r.end_lt) as earlier, max(r.end_lt) as later from transactions t
     join traces r on r.piece = root_of_piece(t.piece) join webhook_accounts a on a.account_id = t.account_id
     where r.state = 0 and r.edges > 0 and t.mc_block_seqno between 90 and 92
     group by 1 having count(distinct r.trace_id) > 1 limit 1`,
  )
  const { account_id: account, earlier, later } = ends as Record<string, bigint>
  await outbox.query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt, trace_id)
     select $1, $2, mc_seqno_end, 2, end_lt, trace_id from traces where end_lt = $3`,
    [id, account, later],
  )
  await outbox.query(
    `insert into unclassified_traces (trace_id, end_lt) select trace_id, end_lt from traces where end_lt = $1
     on conflict (trace_id) do update set queued_at = now()`,
    [earlier],
  )
  await outbox.query('delete from unclassified_traces where end_lt = $1', [later])
  const due = (await outbox.dueOne(id))!
  expect(await claimEvents(db, due, LEASE)).toEqual([])
  // What the passing of time does.
  await outbox.query('update webhook_outbox set due_at = now()')
  expect(await claimEvents(db, due, LEASE)).toEqual([])
  await outbox.query(`update unclassified_traces set queued_at = now() - interval '61 s'`)
  await outbox.query('update webhook_outbox set due_at = now()')
  expect(await claimEvents(db, due, LEASE)).toMatchObject([{ type: 'actions', lt: later }])
})

test('a claim reads what is due, however many accounts wait', async () => {
  const id = await outbox.add()
  await outbox.refill(id)
  const due = (await outbox.dueOne(id))!
  // Their first events are put off.
  await outbox.query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt, due_at)
     select $1, -i, ${START} + k, 0, 0, case when k = 1 then now() + interval '1 hour' end
     from generate_series(1, $2::int) i, generate_series(1, 2) k`,
    [id, isLong ? 100_000 : 10_000],
  )
  await outbox.query('analyze webhook_outbox')
  await db.connection().execute(async (one) => {
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
    for (const event of this.held.values()) await releaseEvent(db, event)
    await retryWebhook(db, this.id)
    for (let events = 1; events > 0; ) {
      const claimed = await claimEvents(db, { id: this.id, horizon: LAST }, LEASE)
      events = claimed.length
      this.taken += events
      for (const event of claimed) await acceptEvent(db, event, undefined)
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
    await outbox.query(
      `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt)
       select $1, $2, seqno, 0, 0 from unnest($3::int[]) seqno`,
      [this.id, this.accounts[this.below(this.accounts.length)], seqnos],
    )
  }

  private async claim(): Promise<void> {
    const options = { ...LEASE, limit: 2 }
    for (const event of await claimEvents(db, { id: this.id, horizon: LAST }, options)) {
      expect(this.held.has(event.accountId)).toBe(false)
      this.held.set(event.accountId, event)
    }
  }

  private async take(): Promise<void> {
    const event = this.letGo()
    if (!event) return
    this.taken++
    await (this.below(2) === 0 ? acceptEvent(db, event, undefined) : dropEvent(db, event))
  }

  private async fail(): Promise<void> {
    const event = this.letGo()
    const [eventDelay, patience] = [this.below(2) * 3600, this.below(4) === 0 ? -1 : 3600]
    if (event) await failEvent(db, event, { fault: 'x', eventDelay, webhookDelay: 0, patience })
  }

  /** As if its process had died long ago. */
  private async lose(): Promise<void> {
    const event = this.letGo()
    const end = 'update webhook_outbox set leased_until = now(), due_at = now() where id = $1'
    if (event) await outbox.query(end, [event.id])
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
  const seed = testSeed()
  console.log(`seed ${seed}`)
  const id = await outbox.add({ accounts: outbox.busy.slice(0, 4) })
  const accounts = await outbox.query('select account_id from webhook_accounts')
  const disorder = new Disorder(
    id,
    accounts.map((row) => row['account_id'] as bigint),
    randomFrom(seed),
  )
  const stuck = `select account_id from webhook_outbox where given_up_at is null
    group by 1 having count(due_at) = 0`
  for (let step = 0; step < randomCases(250); step++) {
    await disorder.step()
    expect(await outbox.query(stuck), `step ${step}`).toEqual([])
  }
  await disorder.end()
  expect(await outbox.query('select from webhook_outbox')).toEqual([])
  expect(disorder.taken).toBe(disorder.written)
})
