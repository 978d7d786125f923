import { randomFrom } from '@shardwalk/testkit'
import { collectGarbage } from '@shardwalk/testkit/collect-garbage'
import { isLong } from '@shardwalk/testkit/runs'
import { Cell } from '@ton/core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bomb, code, deploying, ENDLESS, SELF, sentTo } from '../emulate/hostile-messages.ts'
import { SseClient, until, WsClient } from '../streaming/stream-clients.ts'
import { GrowingChain, type PendingApi } from './growing-chain.ts'

// Any block: messages of the next one are there to be spoiled.
const HEAD = 241
/** `ATTACKS=10000` is for a machine with nothing else to do. */
const ATTACKS = Number(process.env['ATTACKS'] ?? (isLong ? 400 : 60))
const AT_ONCE = 10
/** What tables of known accounts and messages may take, which have limits. Bytes. */
const MAX_GROWTH = 32 * 1024 * 1024

vi.setConfig({ testTimeout: 300_000 + 500 * ATTACKS })

let chain: GrowingChain
let api: PendingApi
let good: readonly Buffer[]
beforeAll(async () => {
  chain = await GrowingChain.open({ from: HEAD, to: HEAD + 1 })
  good = await chain.messagesOf(HEAD + 1)
  api = await chain.start()
})
afterAll(async () => {
  await api?.close()
  await chain?.close()
})

function held(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const empty = new Cell()
/** Made once: what builds cells here is slower than what is attacked. */
const HOSTILE: readonly string[] = [
  deploying({ code: code(ENDLESS), data: empty }),
  deploying({ code: code(SELF), data: empty }, bomb(200)),
  deploying({ code: code(ENDLESS), data: bomb(200) }),
  sentTo({ code: code(ENDLESS), data: empty }),
  sentTo({ code: code(SELF), data: bomb(100) }, bomb(300)),
  bomb(400),
  empty,
].map((cell) => cell.toBoc().toString('base64'))

/** Refusals for which TON Center has status 500 too: clients match their texts. */
const DOCUMENTED =
  /^(LITE_SERVER_[A-Z]+:|Failed to unpack Message|CommonMsgInfo tag|failed to emulate shard block: Emulation)/

test('whatever is sent and whoever leaves, no reply is undocumented, and memory stays flat', async () => {
  const seed = Date.now() >>> 0
  const random = randomFrom(seed)
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const spoiled = (boc: Buffer): Buffer => {
    const copy = Buffer.from(boc)
    for (let i = random() * 4; i > 0; i--) copy[Math.floor(random() * copy.length)]! ^= 1 << (random() * 8)
    return random() < 0.3 ? copy.subarray(0, random() * copy.length) : copy
  }
  const bag = (): string => (random() < 0.5 ? spoiled(one(good)).toString('base64') : one(HOSTILE))
  const wrong: string[] = []
  const post = async (path: string, body: object, leavesAfterMs?: number): Promise<void> => {
    const signal = leavesAfterMs === undefined ? undefined : AbortSignal.timeout(Math.floor(leavesAfterMs))
    const reply = await fetch(`${api.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    }).catch(() => undefined)
    if (!reply) return
    const text = await reply.text().catch(() => '')
    const { error } = (text === '' ? {} : JSON.parse(text)) as { error?: string }
    const isDocumented = reply.status !== 500 || DOCUMENTED.test(error ?? '')
    if (!isDocumented || reply.status > 504) wrong.push(`${path} ${reply.status} ${text.slice(0, 300)}`)
  }
  const addresses = Array.from({ length: 50 }, (_, n) => `0:${n.toString(16).padStart(64, '0')}`)
  const wanted = () => ({
    types: [one(['transactions', 'actions', 'account_state_change', 'blocks'])],
    addresses: addresses.slice(random() * 50),
    min_finality: one(['pending', 'confirmed', 'finalized', '']),
    include_metadata: random() < 0.5,
  })
  const version = () => one(['v1', 'v2'])
  const operation = () => one(['subscribe', 'subscribe', 'set_subscription', 'configure'])
  const attacks: readonly (() => Promise<void>)[] = [
    () => post('/api/emulate/v1/emulateTrace', { boc: bag(), with_actions: true }),
    () => post('/api/emulate/v1/emulateTrace', { boc: bag() }, random() * 50),
    () => post('/api/v3/message', { boc: bag() }),
    () => post('/api/v3/message', { boc: bag() }, random() * 20),
    () => post('/api/pending/v1/message?secret=known%20to%20the%20test', { boc: bag() }),
    async () => {
      const stream = await SseClient.open(`${api.url}/api/streaming/${version()}/sse`, wanted())
      if (stream.status >= 500) wrong.push(`sse ${stream.status}`)
      stream.close()
    },
    async () => {
      const { socket } = await WsClient.open(`${api.url}/api/streaming/${version()}/ws`)
      for (let i = random() * 5; i > 0; i--)
        socket.send(random() < 0.2 ? '{' : JSON.stringify({ operation: operation(), ...wanted() }))
      socket.terminate()
    },
  ]
  let before = 0
  for (let done = 0; done < ATTACKS; done += AT_ONCE) {
    // Each kind at least once.
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => (attacks[done + n] ?? one(attacks))()))
    // Caches are warm after a while.
    if (before === 0 && done >= ATTACKS / 2) before = held()
  }
  expect(wrong, `seed ${seed}`).toEqual([])
  await until(() => api.streams.places.count === 0, 'the places')
  // The last frames of a connection may be read after it is closed.
  await until(() => api.streams.hub.subscribers.addresses === 0, 'the subscriptions')
  const growth = held() - before
  console.log(`${ATTACKS} attacks: ${(growth / 1024 / 1024).toFixed(1)} MiB more`)
  expect(growth, `seed ${seed}`).toBeLessThan(MAX_GROWTH)
  // And it still serves.
  expect((await api.get('masterchainInfo')).status).toBe(200)
})
