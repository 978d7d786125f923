import { randomFrom, waitFor } from '@shardwalk/testkit'
import { collectGarbage } from '@shardwalk/testkit/collect-garbage'
import { isLong } from '@shardwalk/testkit/runs'
import { Cell } from '@ton/core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bomb, code, deploying, ENDLESS, SELF, sentTo } from '../emulate/hostile-messages.ts'
import { SseClient, WsClient } from '../streaming/stream-clients.ts'
import { GrowingChain } from './growing-chain.ts'
import type { PendingApi } from './pending-api.ts'

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

const ADDRESSES = Array.from({ length: 50 }, (_, n) => `0:${n.toString(16).padStart(64, '0')}`)

/** Random attacks, and what was wrong with their answers. */
class Attacks {
  readonly wrong: string[] = []

  constructor(private readonly random: () => number) {}

  /** One of each kind, then any. */
  next(index: number): Promise<void> {
    return (this.kinds[index] ?? this.one(this.kinds))()
  }

  private readonly kinds: readonly (() => Promise<void>)[] = [
    () => this.post('/api/emulate/v1/emulateTrace', { boc: this.bag(), with_actions: true }),
    () => this.post('/api/emulate/v1/emulateTrace', { boc: this.bag() }, this.random() * 50),
    () => this.post('/api/v3/message', { boc: this.bag() }),
    () => this.post('/api/v3/message', { boc: this.bag() }, this.random() * 20),
    () => this.post('/api/pending/v1/message?secret=known%20to%20the%20test', { boc: this.bag() }),
    () => this.followAndLeave(),
    () => this.subscribeAndLeave(),
  ]

  private one = <T>(list: readonly T[]): T => list[Math.floor(this.random() * list.length)]!

  private bag(): string {
    return this.random() < 0.5 ? this.spoiled(this.one(good)).toString('base64') : this.one(HOSTILE)
  }

  private spoiled(boc: Buffer): Buffer {
    const { random } = this
    const copy = Buffer.from(boc)
    for (let i = random() * 4; i > 0; i--) copy[Math.floor(random() * copy.length)]! ^= 1 << (random() * 8)
    return random() < 0.3 ? copy.subarray(0, random() * copy.length) : copy
  }

  private async post(path: string, body: object, leavesAfterMs?: number): Promise<void> {
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
    if (!isDocumented || reply.status > 504) this.wrong.push(`${path} ${reply.status} ${text.slice(0, 300)}`)
  }

  private async followAndLeave(): Promise<void> {
    const stream = await SseClient.open(`${api.url}/api/streaming/${this.version()}/sse`, this.wanted())
    if (stream.status >= 500) this.wrong.push(`sse ${stream.status}`)
    stream.close()
  }

  private async subscribeAndLeave(): Promise<void> {
    const { socket } = await WsClient.open(`${api.url}/api/streaming/${this.version()}/ws`)
    const operation = () => this.one(['subscribe', 'subscribe', 'set_subscription', 'configure'])
    for (let i = this.random() * 5; i > 0; i--)
      socket.send(this.random() < 0.2 ? '{' : JSON.stringify({ operation: operation(), ...this.wanted() }))
    socket.terminate()
  }

  private version(): string {
    return this.one(['v1', 'v2'])
  }

  private wanted(): object {
    return {
      types: [this.one(['transactions', 'actions', 'account_state_change', 'blocks'])],
      addresses: ADDRESSES.slice(this.random() * 50),
      min_finality: this.one(['pending', 'confirmed', 'finalized', '']),
      include_metadata: this.random() < 0.5,
    }
  }
}

test('whatever is sent and whoever leaves, no reply is undocumented, and memory stays flat', async () => {
  const seed = Date.now() >>> 0
  const attacks = new Attacks(randomFrom(seed))
  let before = 0
  for (let done = 0; done < ATTACKS; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => attacks.next(done + n)))
    // Caches are warm after a while.
    if (before === 0 && done >= ATTACKS / 2) before = held()
  }
  expect(attacks.wrong, `seed ${seed}`).toEqual([])
  await waitFor('the places', () => api.streams.places.count === 0)
  // The last frames of a connection may be read after it is closed.
  await waitFor('the subscriptions', () => api.streams.hub.subscribers.addresses === 0)
  const growth = held() - before
  console.log(`${ATTACKS} attacks: ${(growth / 1024 / 1024).toFixed(1)} MiB more`)
  expect(growth, `seed ${seed}`).toBeLessThan(MAX_GROWTH)
  // And it still serves.
  expect((await api.get('masterchainInfo')).status).toBe(200)
})
