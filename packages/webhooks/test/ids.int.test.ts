import { insertWebhook, listWebhooks, WEBHOOK_TYPES } from '@shardwalk/db'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebhookDispatcher } from '../src/outbox/index.ts'
import { deliveryServices } from './delivery-services.ts'
import { type Json, Receiver } from './receiver.ts'

let chain: ScratchDatabase
beforeAll(async () => {
  chain = await classifiedChain()
})
afterAll(() => chain?.close())

/** What `enqueue.ts` queues for blocks, those of the greatest account id first. */
const QUEUE = `
  insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt, trace_id, wallet_id, wallet)
  select w.webhook_id, e.account_id, mc_seqno, type, lt, trace_id, wallet_id, wallet::json from (
    select t.account_id, t.mc_block_seqno, k.type, 0::int8, null::bytea, null::int8, null::text
    from transactions t cross join (values (0::int2), (1::int2)) k(type)
    union select i.id, x.trace_mc_seqno_end, 2::int2, x.trace_end_lt, x.trace_id, null, null
    from actions x cross join unnest(account_ids_in(x.account_ids)) i(id)
    union select j.owner_id, t.mc_block_seqno, 3::int2, j.lt, null, j.account_id,
      json_build_object('owner_id', j.owner_id::text, 'jetton_id', j.jetton_id::text)::text
    from jetton_wallets j join transactions t on t.account_id = j.account_id and t.lt = j.lt
  ) e(account_id, mc_seqno, type, lt, trace_id, wallet_id, wallet)
  join webhook_accounts w on w.account_id = e.account_id
  where e.mc_seqno between $1 and $2 order by e.account_id desc, e.mc_seqno, e.type`

/** What an event is about, without its id. */
const aboutOf = ({ id: _, ...event }: Json): string => JSON.stringify(event)

test('what is queued again after a failover has its id, and a number given again has another', async () => {
  const receiver = await Receiver.open()
  const { rows } = await chain.pool.query<{ workchain: number; hash: Buffer }>(
    `select a.workchain, a.address as hash from accounts a join transactions t on t.account_id = a.id
     where a.workchain = 0 and t.mc_block_seqno between 60 and 85
     group by 1, 2 order by bool_or(a.id in (select owner_id from jetton_wallets)) desc, count(*) desc, 2
     limit 8`,
  )
  await insertWebhook(chain.pool, { url: receiver.url, types: WEBHOOK_TYPES, accounts: rows, after: 59 })
  const { db } = chain
  const dispatcher = new WebhookDispatcher({
    ...{ services: deliveryServices(db), db, allowPrivate: true, pollMs: 60 },
  })
  const deliver = async (from: number, to: number) => {
    await chain.pool.query(QUEUE, [from, to])
    const waiting = async () => (await listWebhooks(db))[0]!.waiting
    await expect.poll(waiting, { timeout: 30_000, interval: 20 }).toBe(0)
    return receiver.received.splice(0).map(({ event }) => event)
  }
  try {
    const before = await deliver(60, 72)
    // The standby has neither these events nor their numbers.
    await chain.pool.query('alter sequence webhook_outbox_id_seq restart')
    const after = await deliver(65, 85)
    expect([...new Set(before.map(({ type }) => type))].sort()).toEqual([...WEBHOOK_TYPES].sort())
    const known = new Map(before.map((event) => [event['id'], aboutOf(event)]))
    expect(known.size).toBe(before.length)
    const again = after.filter((event) => Number(event['mc_block_seqno']) <= 72)
    expect(again.length).toBeGreaterThan(20)
    expect(again.map((event) => known.get(event['id']))).toEqual(again.map(aboutOf))
    const later = after.filter((event) => Number(event['mc_block_seqno']) > 72)
    expect(later.length).toBeGreaterThan(20)
    expect(later.filter((event) => known.has(event['id']))).toEqual([])
  } finally {
    await dispatcher.close()
    await receiver.close()
  }
})

test('after a repair that adds a transaction, the event of its block has another id', async () => {
  const receiver = await Receiver.open()
  const { db, pool } = chain
  const { rows } = await pool.query<{ workchain: number; hash: Buffer; seqno: number; lt: bigint }>(
    `select a.workchain, a.address as hash, t.mc_block_seqno as seqno, max(t.lt) as lt
     from transactions t join accounts a on a.id = t.account_id
     where a.workchain = 0 group by 1, 2, 3 having count(*) > 1 order by 3, 2 limit 1`,
  )
  const { seqno, lt } = rows[0]!
  await pool.query('truncate webhooks, webhook_accounts, webhook_secrets, webhook_outbox')
  const { url } = receiver
  await insertWebhook(pool, { url, types: ['transactions'], accounts: rows, after: seqno - 1 })
  const queue = `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt)
    select webhook_id, account_id, $1, 0, 0 from webhook_accounts`
  const dispatcher = new WebhookDispatcher({
    ...{ services: deliveryServices(db), db, allowPrivate: true, pollMs: 60 },
  })
  const deliver = async () => {
    const { length } = receiver.received
    await pool.query(queue, [seqno])
    await expect.poll(() => receiver.received.length, { timeout: 30_000, interval: 20 }).toBe(length + 1)
    return receiver.received[length]!.event
  }
  try {
    const whole = await deliver()
    expect((await deliver())['id']).toBe(whole['id'])
    await pool.query('delete from transactions where lt = $1', [lt])
    const less = await deliver()
    expect((less['transactions'] as unknown[]).length).toBe((whole['transactions'] as unknown[]).length - 1)
    expect(less['id']).not.toBe(whole['id'])
  } finally {
    await dispatcher.close()
    await receiver.close()
  }
})
