import type { ScratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  acceptEvent,
  claimEvents,
  deleteWebhook,
  discardDead,
  dropEvent,
  failEvent,
  failText,
  limitOutbox,
  listWebhooks,
  retryWebhook,
} from '../src/index.ts'
import { LAST, LEASE, Outbox } from './outbox.ts'

let outbox: Outbox
let db: ScratchDatabase['db']

beforeAll(async () => {
  outbox = await Outbox.open()
  db = outbox.scratch.db
})
afterAll(() => outbox?.scratch.close())
beforeEach(() => outbox.clear())

test('failures put off, end after three days, are shown, and are retried on demand', async () => {
  const id = await outbox.add({ accounts: outbox.busy.slice(0, 2) })
  await outbox.refill(id)
  const waiting = Number((await listWebhooks(db))[0]!.waiting)
  const fail = async (fault: string) => {
    const [event] = await claimEvents(db, (await outbox.dueOne(id))!, { ...LEASE, limit: 1 })
    await failEvent(db, event!, { fault, eventDelay: 3600, webhookDelay: 0, patience: 259_200 })
    return event!
  }
  const event = await fail('status 500')
  await fail('status 502')
  expect(await outbox.dueOne(id)).toBeUndefined()
  expect(await claimEvents(db, { id, horizon: LAST }, LEASE)).toEqual([])
  expect(await listWebhooks(db)).toMatchObject([
    {
      failures: 2,
      fault: 'status 502',
      dead: 0,
      waiting,
      givenUpAt: undefined,
      failingSince: expect.any(Date),
    },
  ])
  await outbox.query(
    `update webhook_outbox set due_at = now(), failing_since = failing_since - interval '73 hours'
    where id = $1`,
    [event.id],
  )
  await fail('status 500')
  expect(await listWebhooks(db)).toMatchObject([
    {
      ...{ givenUpAt: undefined, waiting: waiting - 1, dead: 1 },
      lastDead: { type: 'transactions', mcBlockSeqno: event.mcBlockSeqno, fault: 'status 500' },
    },
  ])
  // The next event of its account is due.
  const next = await claimEvents(db, (await outbox.dueOne(id))!, LEASE)
  expect(next.map(({ accountId }) => accountId)).toEqual([event.accountId])
  expect(next[0]!.id).not.toBe(event.id)
  await outbox.query(`update webhooks set failing_since = failing_since - interval '73 hours'`)
  await failEvent(db, next[0]!, { fault: 'x', eventDelay: 1, webhookDelay: 1, patience: 259_200 })
  expect(await listWebhooks(db)).toMatchObject([{ givenUpAt: expect.any(Date), dead: 1 }])
  expect(await outbox.dueOne(id)).toBeUndefined()
  expect(await retryWebhook(db, id)).toEqual({ events: 3, missed: undefined })
  // What was given up comes first again.
  const retried = await claimEvents(db, (await outbox.dueOne(id))!, LEASE)
  expect(retried).toHaveLength(2)
  expect(retried.map((one) => one.id)).toContain(event.id)
  expect(await listWebhooks(db)).toMatchObject([{ givenUpAt: undefined, dead: 0, waiting }])
  expect(await retryWebhook(db, id + 1000)).toBeUndefined()
})

test('what the former URL of a webhook that was moved refuses is due at the new one at once', async () => {
  const id = await outbox.add({ accounts: outbox.busy.slice(0, 1) })
  await outbox.refill(id)
  const [row] = await listWebhooks(db)
  const claim = async () => (await claimEvents(db, (await outbox.dueOne(id))!, LEASE))[0]!
  const event = await claim()
  const failure = { fault: 'x', eventDelay: 3_600, webhookDelay: 300, patience: 259_200 }
  await retryWebhook(db, id, 'https://example.org/new')
  expect(await failEvent(db, event, { ...failure, sentTo: row!.url })).toBe(false)
  expect(await listWebhooks(db)).toMatchObject([{ failures: 0, fault: undefined }])
  const again = await claim()
  expect([again.id, again.attempts]).toEqual([event.id, event.attempts])
  await failEvent(db, again, { ...failure, sentTo: 'https://example.org/new' })
  expect(await listWebhooks(db)).toMatchObject([{ failures: 1, fault: 'x' }])
  expect(await outbox.dueOne(id)).toBeUndefined()
})

test('a clock that jumps ahead ends no deliveries', async () => {
  const id = await outbox.add({ accounts: outbox.busy.slice(0, 1) })
  await outbox.refill(id)
  const least = { leastAttempts: 3, leastFailures: 4 }
  const fail = async () => {
    await outbox.query(
      `update webhook_outbox set due_at = now(), failing_since = failing_since - interval '4 days'
       where failing_since is not null and given_up_at is null`,
    )
    await outbox.query(`update webhooks set failing_since = failing_since - interval '4 days'`)
    const [event] = await claimEvents(db, (await outbox.dueOne(id))!, LEASE)
    const failure = { fault: 'x', eventDelay: 1, webhookDelay: 0, patience: 259_200, ...least }
    return failEvent(db, event!, failure)
  }
  expect([await fail(), await fail(), await fail()]).toEqual([false, false, true])
  expect(await listWebhooks(db)).toMatchObject([{ givenUpAt: undefined, failures: 3, dead: 1 }])
  expect(await fail()).toBe(false)
  expect(await listWebhooks(db)).toMatchObject([{ givenUpAt: expect.any(Date), failures: 4 }])
})

test('an event whose text cannot be written is given up with the reason; its account goes on', async () => {
  const id = await outbox.add({ accounts: outbox.busy.slice(0, 1) })
  await outbox.refill(id)
  const claim = async () => (await claimEvents(db, (await outbox.dueOne(id))!, LEASE))[0]!
  const again = (text: string) =>
    outbox.query(`update webhook_outbox set due_at = now(), ${text} where failing_since is not null`)
  const first = await claim()
  await failEvent(db, first, { fault: 'status 500', eventDelay: 1, webhookDelay: 0, patience: 9999 })
  await again(`failing_since = now() - interval '1 hour'`)
  const failure = { fault: 'Error: no such row', eventDelay: 60, patience: 900 }
  // How long the receiver refused it does not count.
  expect(await failText(db, await claim(), failure)).toBe(false)
  expect(await claimEvents(db, { id, horizon: LAST }, LEASE)).toEqual([])
  await again(`failing_since = now() - interval '16 minutes'`)
  expect(await failText(db, await claim(), failure)).toBe(true)
  expect(await listWebhooks(db)).toMatchObject([
    {
      dead: 1,
      failures: 1,
      lastDead: { account: outbox.busy[0], fault: 'cannot be written: Error: no such row' },
    },
  ])
  const next = await claim()
  expect(next.mcBlockSeqno).toBeGreaterThan(first.mcBlockSeqno)
  expect(await discardDead(db, id)).toBe(1)
  expect(await listWebhooks(db)).toMatchObject([{ dead: 0, lastDead: undefined }])
})

test('a success is noted, and ends a row of failures', async () => {
  const id = await outbox.add({ accounts: outbox.busy.slice(0, 1) })
  await outbox.refill(id)
  const [event] = await claimEvents(db, (await outbox.dueOne(id))!, LEASE)
  await failEvent(db, event!, { fault: 'x', eventDelay: 0, webhookDelay: 0, patience: 60 })
  const [again] = await claimEvents(db, (await outbox.dueOne(id))!, LEASE)
  await acceptEvent(db, again!, undefined)
  expect(await listWebhooks(db)).toMatchObject([
    { failures: 0, failingSince: undefined, fault: undefined, succeededAt: expect.any(Date) },
  ])
})

test('an event of which nothing is left goes, and the row of failures goes on', async () => {
  const id = await outbox.add({ accounts: outbox.busy.slice(0, 1) })
  await outbox.refill(id)
  const [event] = await claimEvents(db, (await outbox.dueOne(id))!, LEASE)
  await failEvent(db, event!, { fault: 'x', eventDelay: 0, webhookDelay: 0, patience: 60 })
  const { waiting } = (await listWebhooks(db))[0]!
  const [again] = await claimEvents(db, (await outbox.dueOne(id))!, LEASE)
  await dropEvent(db, again!)
  expect(await listWebhooks(db)).toMatchObject([
    { waiting: waiting - 1, failures: 1, failingSince: expect.any(Date), succeededAt: undefined },
  ])
})

test('a webhook for which too much waits, if only slow, says from where events are missing', async () => {
  const id = await outbox.add()
  await outbox.refill(id)
  expect(await limitOutbox(db, 1_000_000)).toEqual([])
  expect((await listWebhooks(db))[0]!.fullSeqno).toBeUndefined()
  const [range] = await outbox.query('select to_seqno from indexed_ranges')
  const fullSeqno = range!['to_seqno'] as number
  expect(await limitOutbox(db, 10)).toEqual([{ id, fullSeqno }])
  expect(await limitOutbox(db, 10)).toEqual([])
  expect((await listWebhooks(db))[0]!.fullSeqno).toBe(fullSeqno)
  expect(await retryWebhook(db, id)).toMatchObject({ missed: { after: fullSeqno, to: fullSeqno } })
  expect((await listWebhooks(db))[0]!.fullSeqno).toBeUndefined()
})

test('a removed webhook leaves nothing behind', async () => {
  const [id, other] = [await outbox.add(), await outbox.add()]
  await outbox.refill(id)
  expect(await deleteWebhook(db, id)).toBe(true)
  expect(await deleteWebhook(db, id)).toBe(false)
  for (const table of ['webhook_accounts', 'webhook_secrets', 'webhook_outbox'])
    expect(await outbox.query(`select from ${table} where webhook_id = $1`, [id]), table).toEqual([])
  // What a batch wrote at the same time.
  await outbox.refill(other)
  await outbox.query('update webhook_outbox set webhook_id = $1 where mc_seqno < 80', [id])
  await limitOutbox(db, 1_000_000)
  expect(await outbox.query('select distinct webhook_id from webhook_outbox')).toEqual([
    { webhook_id: other },
  ])
})
