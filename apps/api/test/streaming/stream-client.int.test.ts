import { ApiError, StreamClient, type StreamEvent, V3Client } from '@shardwalk/client'
import { waitFor } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Notice, notices as noticesOf } from '../../../../packages/client/examples/notifier.ts'
import { MovingChain, type StreamingApi, startStreaming } from './moving-chain.ts'

let chain: MovingChain
let api: StreamingApi
const START = 300

beforeAll(async () => {
  chain = await MovingChain.open()
  await chain.moveTo(START)
  api = await startStreaming(chain.scratch)
})
afterAll(async () => {
  await api?.close()
  await chain?.close()
})

test('a client whose connection is cut again and again receives every transaction', async () => {
  const { rows } = await chain.scratch.pool.query(
    `select a.workchain || ':' || upper(encode(a.address, 'hex')) as raw, encode(t.hash, 'base64') as hash
     from transactions t join accounts a on a.id = t.account_id
     where t.mc_block_seqno between $1 + 1 and $1 + 80 and a.workchain = 0 order by a.id`,
    [START],
  )
  const addresses = [...new Set(rows.map((row) => row.raw as string))].slice(0, 50)
  const expected = rows.filter((row) => addresses.includes(row.raw)).map((row) => row.hash as string)
  expect(expected.length).toBeGreaterThan(20)

  const cut: AbortController[] = []
  const client = new StreamClient({
    url: api.url,
    fetch: (input, init) => {
      const own = new AbortController()
      cut.push(own)
      return fetch(input, { ...init, signal: AbortSignal.any([own.signal, init!.signal!]) })
    },
  })
  const end = new AbortController()
  const events: StreamEvent[] = []
  const reading = (async () => {
    const wanted = { types: ['transactions'] as const, addresses, resumeFrom: START }
    for await (const event of client.events(wanted, { signal: end.signal })) events.push(event)
  })().catch((error: unknown) => error)
  const received = () =>
    new Set(
      events
        .flatMap((event) => (event.type === 'transactions' ? event.transactions : []))
        .map((one) => one.hash),
    )
  await waitFor('the subscription', () => api.streams.hub.subscribers.addresses > 0)
  for (let seqno = START + 8; seqno <= START + 80; seqno += 8) {
    await chain.moveTo(seqno)
    cut.at(-1)!.abort(new Error('cut'))
    await waitFor('the blocks', () => api.streams.follower.position === seqno)
  }
  await waitFor('every transaction', () => expected.every((hash) => received().has(hash)))
  expect(cut.length).toBeGreaterThan(1)
  end.abort(new Error('enough'))
  expect(await reading).toEqual(new Error('enough'))
})

test('the notifier reports every action once, over restarts', async () => {
  await chain.moveTo(START + 80)
  const v3 = new V3Client({ url: api.url })
  const busy = new Map<string, Set<string>>()
  for await (const { accounts = [], action_id, trace_mc_seqno_end: seqno } of v3.rows('actions', {
    include_accounts: true,
  }))
    for (const account of seqno > START && seqno <= START + 80 ? accounts : [])
      busy.set(account, (busy.get(account) ?? new Set()).add(action_id))
  const [account, expected] = [...busy].sort((a, b) => b[1].size - a[1].size)[0]!
  expect(expected.size).toBeGreaterThan(5)

  const client = new StreamClient({ url: api.url })
  const notices: Notice[] = []
  const isDone = () => [...expected].every((id) => notices.some(({ actionId }) => actionId === id))
  while (!isDone()) {
    const last = {
      position: notices.at(-1)?.position ?? START,
      actionIds: new Set(notices.map((one) => one.actionId)),
    }
    const before = notices.length
    const signal = AbortSignal.timeout(60_000)
    for await (const notice of noticesOf(client, [account], { delivered: last, signal })) {
      notices.push(notice)
      // A process that is killed after every third notice.
      if (notices.length >= before + 3 || isDone()) break
    }
  }
  expect(new Set(notices.map(({ actionId }) => actionId)).size).toBe(notices.length)
  expect(notices.map(({ text }) => text).join()).not.toContain('undefined')
})

test('a subscription that is refused is not tried again', async () => {
  const client = new StreamClient({ url: api.url })
  const events = client.events({ types: ['actions'], addresses: ['nobody'] })
  await expect(events.next()).rejects.toEqual(new ApiError(400, 'invalid address: nobody', undefined))
})
