import { waitFor } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { MovingChain, type StreamingApi, startStreaming } from './moving-chain.ts'
import { SseClient, WsClient } from './stream-clients.ts'

// `replay_existing` and `msg_body_hash` of TON Center, on the sample.

const HEAD = 300

let chain: MovingChain
let api: StreamingApi
/** The newest block that is not recent. */
let edge = 0
/** Accounts with transactions in recent blocks. */
let accounts: readonly string[] = []

beforeAll(async () => {
  chain = await MovingChain.open()
  await chain.moveTo(HEAD)
  api = await startStreaming(chain.scratch, { streaming: { pool: chain.scratch.pool, beatMs: 10 } })
  await waitFor('the head', () => api.streams.follower.position === HEAD)
  const { rows: blocks } = await chain.scratch.pool.query(
    `select max(b.seqno) as edge from blocks b, blocks h where b.workchain = -1 and h.workchain = -1
       and h.seqno = $1 and b.gen_utime <= h.gen_utime - 30`,
    [HEAD],
  )
  edge = blocks[0].edge
  const { rows } = await chain.scratch.pool.query(
    `select a.workchain || ':' || upper(encode(a.address, 'hex')) as raw from transactions t
     join accounts a on a.id = t.account_id where t.mc_block_seqno between $1 and $2 and a.workchain = 0
       and t.in_msg_lt is not null group by 1 order by count(*) desc, 1 limit 10`,
    [edge + 1, HEAD],
  )
  accounts = rows.map(({ raw }) => raw as string)
})
afterAll(async () => {
  await api?.close()
  await chain?.close()
})

const opened: (() => void)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) close()
  await waitFor('no connection', () => api.streams.hub.subscribers.count === 0)
})

/** A keep-alive names the head when everything before it was sent. */
const isUpToDate = ({ frames }: SseClient) => frames.some((one) => one.isComment && one.id === String(HEAD))

async function events(body: object): Promise<readonly Json[]> {
  const client = await SseClient.open(`${api.url}/api/streaming/v2/sse`, body)
  opened.push(() => client.close())
  await waitFor('what was missed', () => isUpToDate(client))
  return client.events
}

const transactionsIn = (sent: readonly Json[]) =>
  sent.flatMap((event) => (event['transactions'] ?? []) as readonly Json[])
const bodyOf = (transaction: Json): string =>
  ((transaction['in_msg'] as Json)['message_content'] as Json)['hash'] as string

test('who asks for it gets the last 30 seconds of the chain first, over both transports', async () => {
  expect(edge).toBeGreaterThan(HEAD - 100)
  const types = ['transactions', 'actions', 'account_state_change', 'jettons_change']
  const wanted = { types, addresses: accounts }
  const recent = await events({ ...wanted, replay_existing: true })
  expect(new Set(recent.map(({ type }) => type)).size).toBeGreaterThan(2)
  expect(recent).toEqual(await events({ ...wanted, resume_from: edge }))
  expect(await events(wanted)).toEqual([])
  expect(await events({ ...wanted, replay_existing: true, resume_from: HEAD })).toEqual([])
  const socket = await WsClient.open(`${api.url}/api/streaming/v2/ws`)
  opened.push(() => socket.socket.terminate())
  const answer = await socket.ask({ operation: 'subscribe', id: 'a', ...wanted, replay_existing: true })
  expect(answer).toEqual({ status: 'subscribed', id: 'a' })
  await waitFor('the same events', () => socket.events.length >= recent.length)
  expect(socket.events).toEqual(recent)
})

test('a hash of a body leaves the transactions that received it, of those that happened', async () => {
  const wanted = { types: ['transactions'], addresses: accounts, replay_existing: true }
  const all = transactionsIn(await events(wanted)).filter((one) => one['in_msg'])
  const [body] = all.map(bodyOf)
  const hex = Buffer.from(body!, 'base64').toString('hex')
  const some = await events({ ...wanted, msg_body_hash: hex })
  expect(transactionsIn(some)).toEqual(all.filter((one) => bodyOf(one) === body))
  expect(transactionsIn(some).length).toBeLessThan(all.length)
})
