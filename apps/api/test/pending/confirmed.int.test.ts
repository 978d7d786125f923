import { isDeepStrictEqual } from 'node:util'
import { readSentMessage } from '@shardwalk/pending'
import { waitFor } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import type { SseClient } from '../streaming/stream-clients.ts'
import { GrowingChain } from './growing-chain.ts'
import { expectRising, hashOf, type PendingApi, type PendingTrace } from './pending-api.ts'

// Of blocks that validators have signed, and that the masterchain has not committed yet.

const BEFORE = 241
const LAST = 272

let chain: GrowingChain
let api: PendingApi
beforeAll(async () => {
  chain = await GrowingChain.open({ from: BEFORE, to: LAST })
  api = await chain.start()
})
afterAll(async () => {
  await api?.close()
  await chain?.close()
})

/** The next message that the chain receives and nobody knows of, just before its block. */
async function nextMessage(): Promise<Buffer> {
  for (let seqno = chain.head + 1; seqno <= LAST; seqno++)
    for (const boc of await chain.messagesOf(seqno)) {
      if (await api.pendingTrace(hashOf(boc))) continue
      await chain.moveTo(seqno - 1)
      return boc
    }
  throw new Error('no message is left')
}

const finalities = (trace: PendingTrace): string[] =>
  trace.transactions_order.map((hash) => trace.transactions[hash]!.finality)

const confirmedTrace = (key: string): Promise<PendingTrace> =>
  waitFor('a confirmed transaction', async () => {
    const trace = await api.pendingTrace(key)
    return trace && finalities(trace)[0] === 'confirmed' ? trace : undefined
  })

test('what validators signed is confirmed, then final, and what follows is expected from there', async () => {
  const boc = await nextMessage()
  const { account, hashNorm } = readSentMessage(boc)
  const key = hashNorm.toString('base64')
  const body = { types: ['transactions', 'actions'], addresses: [account] }
  const [all, sure] = [await api.follow('pending', body), await api.follow('confirmed', body)] as const
  const ofState = { types: ['account_state_change'], addresses: [account] }
  const states = [await api.follow('pending', ofState), await api.follow('finalized', ofState)] as const
  await api.push(boc)
  const expected = await waitFor('a pending trace', () => api.pendingTrace(key))
  expect(new Set(finalities(expected))).toEqual(new Set(['pending']))
  await waitFor('the first event', async () => all.events.length > 0)
  await chain.prolong()

  chain.sign(chain.head + 1)
  const confirmed = await confirmedTrace(key)
  const [root] = confirmed.transactions_order
  expect(confirmed.trace_id).toBe(root)
  expect(confirmed.transactions[root!]).toMatchObject({ emulated: false, account })
  const { body: left } = await api.get('pendingTransactions', { trace_id: key })
  const hashes = ((left['transactions'] as { hash: string }[] | undefined) ?? []).map(({ hash }) => hash)
  expect(hashes).not.toContain(root)

  chain.sign(chain.head + 7)
  const isConfirmed = ({ finality, type }: Json) => finality === 'confirmed' && type === 'transactions'
  for (const stream of [all, sure])
    await waitFor('the event of the confirmed trace', async () => stream.events.some(isConfirmed))
  const whole = (await api.pendingTrace(key))!
  expect(new Set(finalities(whole))).toEqual(new Set(['confirmed']))

  await chain.moveTo(chain.head + 7)
  expect([...(await chain.transactionsOf(key, api))].sort()).toEqual([...whole.transactions_order].sort())
  await chain.classify()
  for (const stream of [all, sure]) {
    await waitFor('the last event', async () => stream.events.at(-1)?.['finality'] === 'finalized')
    expect(stream.events.some(({ type }) => type === 'trace_invalidated')).toBe(false)
  }
  expectRising(all.events, 'pending')
  expectRising(sure.events, 'confirmed')
  await expectSameStates(...states)
  for (const stream of [all, sure, ...states]) stream.close()
})

/** `early`: with what is not final yet. */
async function expectSameStates(early: SseClient, late: SseClient): Promise<void> {
  // A masterchain block may commit several blocks of a shard, of which the last counts then.
  const areAlike = async () => {
    const final = statesOf(late, 'finalized')
    const seen = [statesOf(early, 'confirmed').at(-1), statesOf(early, 'finalized')]
    return isDeepStrictEqual(seen, [final.at(-1), final])
  }
  await waitFor('the same states on both streams, of which either may be ahead', areAlike)
  expect(statesOf(late, 'finalized').length).toBeGreaterThan(0)
  expect(statesOf(early, 'confirmed')).toEqual(expect.arrayContaining(statesOf(late, 'finalized')))
}

const statesOf = (stream: SseClient, finality: string): unknown[] =>
  stream.events.flatMap((event) => (event['finality'] === finality ? [event['state']] : []))

test('a state after a block that is replaced is sent again when another block is final', async () => {
  const { account } = readSentMessage(await nextMessage())
  const stream = await api.follow('confirmed', { types: ['account_state_change'], addresses: [account] })
  await waitFor('the first frame', async () => stream.frames.length > 0)
  chain.sign(chain.head + 1, 'never-final')
  await waitFor('the confirmed state', async () => stream.events.length === 1)
  await chain.moveTo(chain.head + 1)
  await waitFor('the final state, and again', async () => stream.events.length === 3)
  expect(stream.events.map((event) => event['finality'])).toEqual(['confirmed', 'finalized', 'finalized'])
  expect(stream.events[2]!['state']).toEqual(stream.events[1]!['state'])
  chain.sign(chain.head)
  stream.close()
})

/** As if the blocks of its confirmed transactions had the place of one that is final. */
async function replaceBlocksOf(hashNorm: Buffer): Promise<void> {
  const { pool } = chain.scratch
  const newest = await pool.query(
    `select seqno, shard from blocks where workchain = 0
     order by mc_block_seqno desc limit 1`,
  )
  const { shard, seqno } = newest.rows[0]
  const place = `"shard":{"$bigint":"${shard}"},"seqno":${seqno}`
  // Not while a process looks at it, which would write what it has read.
  await waitFor('a trace that no process looks at', async () => {
    const { rowCount } = await pool.query(
      `update pending_traces set due_at = now(),
         trace = regexp_replace(trace, '"shard":{"[$]bigint":"-?[0-9]+"},"seqno":[0-9]+', $1, 'g')
       where hash_norm = $2 and leased_until is null and trace like '%"shard":{"$bigint"%'`,
      [place, hashNorm],
    )
    return rowCount === 1
  })
}

test('confirmed by a process that was killed, invalidated when another block is final', async () => {
  const boc = await nextMessage()
  const { account, hashNorm } = readSentMessage(boc)
  const key = hashNorm.toString('base64')
  // Its lite server is not asked for signed blocks.
  const other = await chain.start({ confirms: false })
  const stream = await other.follow('pending', { types: ['transactions'], addresses: [account] })
  await api.push(boc)
  chain.sign(chain.head + 1)
  await confirmedTrace(key)
  await api.close()
  chain.sign(chain.head)
  expect(finalities((await other.pendingTrace(key))!)[0]).toBe('confirmed')
  await waitFor('an event', async () => stream.events.length > 0)
  await replaceBlocksOf(hashNorm)
  const last = () => stream.events.at(-1)?.['type']
  await waitFor('the invalidation', async () => last() === 'trace_invalidated')
  expect(await other.pendingTrace(key)).toBeUndefined()
  stream.close()
  api = other
})
