import {
  randomFrom,
  type ScratchDatabase,
  sampleChainDatabase,
  scratchDatabase,
  shuffled,
} from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { BatchSink, type EncodedBatch } from '../src/index.ts'
import { enqueueBlockEvents } from '../src/webhooks/enqueue.ts'
import { busyAccounts, LAST, Outbox, START } from './outbox.ts'
import { statementsOf } from './statements-of.ts'

let batches: readonly EncodedBatch[]
let scratch: ScratchDatabase
let outbox: Outbox
let sink: BatchSink

beforeAll(async () => {
  batches = await recordedBatches({ to: LAST })
  const whole = await sampleChainDatabase()
  const busy = await busyAccounts(whole)
  await whole.close()
  scratch = await scratchDatabase()
  outbox = new Outbox(scratch, busy)
  sink = new BatchSink(scratch.pool)
  await sink.commitBatches(batches.filter(({ mcBlockSeqno }) => mcBlockSeqno <= START))
})
afterAll(() => scratch?.close())
beforeEach(() => outbox.clear())

test('without webhooks, no statement is run for them', async () => {
  const next = batches.filter((batch) => batch.mcBlockSeqno === START + 1)
  const texts = (await statementsOf(scratch.pool, () => sink.commitBatches(next))).map(({ text }) => text)
  // The notice of the commit asks whether there are any.
  expect(texts.filter((text) => text.includes('webhook'))).toEqual([expect.stringContaining('pg_notify')])
})

test('what happens to an account is an event once, in whatever order blocks are written', async () => {
  const seed = testSeed()
  console.log(`seed ${seed}`)
  const all = await outbox.add({ types: ['transactions', 'account_state_change', 'actions'] })
  const one = await outbox.add({ accounts: outbox.busy.slice(0, 1), types: ['account_state_change'] })
  const later = await outbox.add({ after: LAST - 10 })
  const random = randomFrom(seed)
  const rest = batches.filter((batch) => batch.mcBlockSeqno > START + 1 && batch.mcBlockSeqno < LAST)
  // Twice, each time in another order; a group has a batch once.
  for (const order of [shuffled(rest, random), shuffled(rest, random)])
    for (let at = 0; at < order.length; at += 20) await sink.commitBatches(order.slice(at, at + 20))
  const expected = (await outbox.happened(all)).filter((row) => row['mc_seqno'] > START + 1)
  expect(expected.length).toBeGreaterThan(50)
  expect(await outbox.queued(all, 0)).toEqual(expected)
  expect(await outbox.queued(all, 1)).toEqual(expected)
  expect(await outbox.queued(all, 2)).toEqual([])
  expect(await outbox.queued(one, 0)).toEqual([])
  const accounts = new Set((await outbox.queued(one, 1)).map((row) => row['account_id']))
  expect(accounts.size).toBe(1)
  const late = await outbox.queued(later, 0)
  expect(late).toEqual(expected.filter((row) => row['mc_seqno'] > LAST - 10))
  await outbox.query('delete from webhook_outbox')
})

test('rows that are not committed are not sent', async () => {
  const id = await outbox.add()
  const next = batches.filter((batch) => batch.mcBlockSeqno === LAST)
  expect(await sink.refusal(next)).toBeUndefined()
  expect(await outbox.queued(id, 0)).toEqual([])
  await sink.commitBatches(next)
  const written = (await outbox.happened(id)).filter((row) => row['mc_seqno'] === LAST)
  expect(written.length).toBeGreaterThan(0)
  expect(await outbox.queued(id, 0)).toEqual(written)
})

test('a repair sends what was missing, not of what it replaces', async () => {
  const id = await outbox.add()
  const range = { from: 60, to: 62 }
  const replaced = batches.filter(({ mcBlockSeqno }) => mcBlockSeqno >= 60 && mcBlockSeqno <= 62)
  await sink.repairRange(range, replaced)
  expect(await outbox.queued(id, 0)).toEqual([])
  const [lost] = await outbox.query(
    `delete from transactions where (account_id, lt) in (
       select t.account_id, t.lt from transactions t join webhook_accounts a on a.account_id = t.account_id
       where t.mc_block_seqno between 60 and 62 and t.in_msg_lt is null and t.out_msg_count = 0
       order by t.lt limit 1)
     returning account_id, mc_block_seqno as mc_seqno`,
  )
  await sink.repairRange(range, replaced)
  expect(await outbox.queued(id, 0)).toEqual([lost])
})

test('what is sent late of blocks before a webhook was full is kept', async () => {
  const id = await outbox.add()
  await outbox.query('update webhooks set full_seqno = 80')
  const client = await scratch.pool.connect()
  try {
    const seqnos = Array.from({ length: LAST - START }, (_, index) => START + 1 + index)
    await enqueueBlockEvents(client, { seqnos, from: 0n, to: 1n << 62n, isRepair: false })
  } finally {
    client.release()
  }
  expect(await outbox.queued(id, 0)).toEqual(
    (await outbox.happened(id)).filter((row) => row['mc_seqno'] <= 80),
  )
})
