import { readFileSync } from 'node:fs'
import { parseRoot, serializeBoc } from '@shardwalk/cells'
import { openChain, readRootMessage, walletMessage } from '@shardwalk/emulation'
import { readSentMessage } from '@shardwalk/pending'
import { waitFor } from '@shardwalk/testkit'
import { beginCell, Cell, loadMessage, storeMessage } from '@ton/core'
import { transform } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { CHROMIUM, launch } from '../pages/browser.ts'
import { SseClient } from '../streaming/stream-clients.ts'
import { GrowingChain } from './growing-chain.ts'
import { hashOf, type PendingApi } from './pending-api.ts'
import { type Transfer, transfer, type WalletStep } from './wallet-client.ts'

// A highload wallet receives a message in block 25, a jetton transfer begins in 29.
const BEFORE = 24
const LAST = 40
/** Hashes of messages, the beginning: of the highload wallet v3, of wallet v5 r1, of a jetton's owner. */
const HIGHLOAD = '80d8ba32'
const WALLET_V5 = '3119c67c'
const JETTON = '963c90f0'

let chain: GrowingChain
let api: PendingApi
const messages = new Map<string, Buffer>()
beforeAll(async () => {
  chain = await GrowingChain.open({ from: BEFORE, to: LAST })
  for (const seqno of [25, 29])
    for (const boc of await chain.messagesOf(seqno)) messages.set(hashOf(boc).slice(0, 8), boc)
  api = await chain.start()
})
afterAll(async () => {
  await api?.close()
  await chain?.close()
})

interface Pending {
  readonly traces: readonly { readonly trace_id: string | null }[]
}
async function pendingOf(query: Record<string, string>): Promise<Pending['traces']> {
  return ((await api.get('pendingTraces', query)).body as never as Pending).traces
}

async function oneBlock(): Promise<void> {
  await chain.prolong()
  await chain.moveTo(chain.head + 1)
  await chain.examine()
  await chain.classify()
}

/** Blocks come until the client has seen the trace in the index. */
async function untilIndexed(reported: readonly WalletStep[], done: Promise<void>): Promise<void> {
  const isPending = () => reported.some(({ step, finality }) => step === 'event' && finality === 'pending')
  await Promise.race([done, waitFor('the pending event', async () => isPending())])
  let isDone = false
  const end = done.finally(() => {
    isDone = true
  })
  for (const from = chain.head; !isDone && chain.head < from + 12; ) {
    await oneBlock()
    await waitFor('the block to be sent', async () => isDone || api.streams.follower.position === chain.head)
  }
  await end
}

function expectLife(reported: readonly WalletStep[]): void {
  const steps = reported.map(({ step }) => step)
  expect(steps.filter((step, i) => step !== steps[i - 1])).toEqual(
    expect.arrayContaining(['preview', 'subscribed', 'sent', 'event', 'indexed']),
  )
  expect(reported.find(({ step }) => step === 'event')!.finality).toBe('pending')
  expect(reported.filter(({ step }) => step === 'subscribed').map(({ read }) => read[0])).toEqual([
    ...['subscribed', 'pong'],
  ])
  expect(reported.at(-1)!.step).toBe('indexed')
}

/** Another message of the highload wallet v3: only its query has another number. */
function sibling(boc: Buffer): Buffer {
  const message = loadMessage(Cell.fromBoc(boc)[0]!.beginParse())
  const body = message.body.beginParse()
  const signature = body.loadBuffer(64)
  const signed = body.loadRef().beginParse()
  const inner = beginCell().storeUint(signed.loadUint(32), 32).storeRef(signed.loadRef())
  inner.storeUint(signed.loadUint(8), 8)
  const query = signed.loadUint(23)
  inner.storeUint(query ^ 0b111, 23).storeSlice(signed)
  const changed = beginCell().storeBuffer(signature).storeRef(inner.endCell()).endCell()
  return beginCell()
    .store(storeMessage({ ...message, body: changed }))
    .endCell()
    .toBoc()
}

async function seenLt(key: string): Promise<string | undefined> {
  const { rows } = await chain.scratch.pool.query(
    `select seen_lt::text as lt from pending_traces where hash_norm = decode($1, 'base64')`,
    [key],
  )
  return rows[0]?.lt
}

test('two messages of a highload wallet v3 both stay when one of them happens', async () => {
  const first = messages.get(HIGHLOAD)!
  const both = [first, sibling(first)]
  const [key, other] = both.map((boc) => readSentMessage(boc).hashNorm.toString('base64')) as [string, string]
  const { account } = readSentMessage(first)
  const wanted = { types: ['transactions'], addresses: [account], min_finality: 'pending' }
  const stream = await SseClient.open(`${api.url}/api/streaming/v2/sse`, wanted)
  for (const boc of both) expect((await api.push(boc)).body['admission']).toBe('admitted')
  await waitFor('both', async () => (await pendingOf({ account })).length === 2)
  const before = await seenLt(other)
  await oneBlock()
  const happened = async () =>
    (await api.get('transactionsByMessage', { msg_hash: key })).body['transactions'] as unknown[] | undefined
  await waitFor('the first in a block', async () => (await happened())?.length === 1)
  // The wallet has changed, so the other one is emulated again.
  await waitFor('another emulation', async () => (await seenLt(other)) !== before)
  expect(await pendingOf({ ext_msg_hash: other })).toMatchObject([{ trace_id: null }])
  expect(stream.events.filter(({ type }) => type === 'trace_invalidated')).toEqual([])
  stream.close()
})

describe('a message that lite servers', () => {
  afterEach(() => chain.delaySends(0))
  /** Of the wallet v5, with the right number and a signature that is wrong, which only servers look at. */
  async function unsigned(amount: bigint): Promise<Buffer> {
    const from = readRootMessage(parseRoot(messages.get(WALLET_V5)!)).message.destination!
    const at = await openChain(api.node, {})
    const payments = [{ address: from, bounce: false, amount }]
    return serializeBoc(walletMessage(await at.account(from), { from, messages: payments }, at.utime))
  }
  const rowOf = async (boc: Buffer) => {
    const { rows } = await chain.scratch.pool.query('select state from pending_traces where hash_norm = $1', [
      readSentMessage(boc).hashNorm,
    ])
    return rows[0]?.state as number | undefined
  }

  test('refuse at once is never reported', async () => {
    const patient = await chain.start({ patienceMs: 60_000, places: 0 })
    const boc = await unsigned(1n)
    const { status, body } = await patient.trySend(boc)
    await patient.close()
    expect(status).toBeGreaterThanOrEqual(400)
    expect(body['error']).toContain('cannot apply external message')
    expect(await rowOf(boc)).toBeUndefined()
  })

  test('take their time over is pending before they answer, and is taken back when they refuse', async () => {
    const boc = await unsigned(2n)
    const { account, hashNorm } = readSentMessage(boc)
    const wanted = { types: ['transactions'], addresses: [account], min_finality: 'pending' }
    const stream = await SseClient.open(`${api.url}/api/streaming/v2/sse`, wanted)
    chain.delaySends(4_000)
    let isAnswered = false
    const answer = api.trySend(boc).finally(() => {
      isAnswered = true
    })
    await waitFor('the pending event', async () => stream.events.length > 0)
    expect(isAnswered).toBe(false)
    expect((await answer).body['error']).toContain('cannot apply external message')
    await waitFor('the invalidation', async () => stream.events.at(-1)?.['type'] === 'trace_invalidated')
    expect(await pendingOf({ ext_msg_hash: hashNorm.toString('hex') })).toEqual([])
    stream.close()
  })
})

describe('a wallet that previews, subscribes, sends and follows', () => {
  test('a jetton transfer finds every member that it reads, from the first event to the index', async () => {
    const reported: WalletStep[] = []
    Object.assign(globalThis, { report: (one: WalletStep) => reported.push(one) })
    globalThis.WebSocket ??= WebSocket as never
    await chain.moveTo(28)
    await chain.examine()
    await chain.classify()
    const boc = messages.get(JETTON)!
    const { account } = readSentMessage(boc)
    const watching = await chain.start({ places: 0 })
    const wanted = { types: ['jettons_change'], addresses: [account, await receiverOf(boc)] }
    const url = `${watching.url}/api/streaming/v2/sse`
    const stream = await SseClient.open(url, { ...wanted, min_finality: 'confirmed', include_metadata: true })
    await waitFor('the first frame', async () => stream.frames.length > 0)
    // Signed, and not final for a while.
    chain.sign(chain.head + 7)
    await waitFor('both balances', async () => jettonsOf(stream, 'confirmed').length > 1)
    chain.sign(chain.head)

    const asked = { base: api.url, boc: boc.toString('base64'), address: account, movesJettons: true }
    await untilIndexed(reported, transfer(asked))
    expectLife(reported)
    expect(reported[0]!.read.join()).toContain('jetton_transfer')
    await waitFor('both balances, final', async () => jettonsOf(stream, 'finalized').length > 1)
    expect(jettonsOf(stream, 'confirmed')).toEqual(
      expect.arrayContaining([...jettonsOf(stream, 'finalized')]),
    )
    stream.close()
    await watching.close()
  })

  test.skipIf(!CHROMIUM)('does it in a browser too', async () => {
    let browser: Browser | undefined
    try {
      browser = await launch()
      const page: Page = await browser.newPage()
      const reported: WalletStep[] = []
      await page.exposeFunction('report', (one: WalletStep) => void reported.push(one))
      // Any answer of the API: the page has its origin.
      await page.goto(`${api.url}/api/streaming/healthz`)
      const boc = await nextMessage()
      const { account } = readSentMessage(boc)
      const wanted = { base: api.url, boc: boc.toString('base64'), address: account }
      await untilIndexed(reported, page.evaluate(await inBrowser(wanted)))
      expectLife(reported)
    } finally {
      await browser?.close()
    }
  })
})

/** The call of `transfer` with all that it needs, as a script. */
async function inBrowser(wanted: Transfer): Promise<string> {
  const source = readFileSync(new URL('wallet-client.ts', import.meta.url), 'utf8')
  const { code } = await transform(source, { loader: 'ts', format: 'iife', globalName: 'wallet' })
  return `${code}; wallet.transfer(${JSON.stringify(wanted)})`
}

async function receiverOf(boc: Buffer): Promise<string> {
  const reply = await fetch(`${api.url}/api/emulate/v1/emulateTrace`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ boc: boc.toString('base64'), with_actions: true, ignore_chksig: true }),
  })
  const { actions } = (await reply.json()) as { actions: { type: string; details: { receiver: string } }[] }
  return actions.find(({ type }) => type === 'jetton_transfer')!.details.receiver
}

/** Jetton wallets as events of a finality have them, by address. */
const jettonsOf = (stream: SseClient, finality: string): readonly { readonly address: string }[] =>
  stream.events
    .flatMap((event) => (event['finality'] === finality ? [event['jetton'] as { address: string }] : []))
    .sort((a, b) => (a.address < b.address ? -1 : 1))

/** A message that the next block has; blocks without any come first. */
async function nextMessage(): Promise<Buffer> {
  for (;;) {
    const [boc] = await chain.messagesOf(chain.head + 1)
    if (boc) return boc
    await oneBlock()
  }
}
