import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { ManyPreviews } from '@shardwalk/emulation'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { createMetrics, silentLogger } from '@shardwalk/observability'
import { type Replay, startReplay } from '@shardwalk/replay'
import { FIXTURE_CHAIN_FOLDER, type ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { TvmPool } from '@shardwalk/tvm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emulationFailure } from '../../src/emulate/failures.ts'
import type { Previewer, PreviewQuestion, PreviewReply } from '../../src/emulate/preview.ts'
import { PreviewsHere } from '../../src/emulate/previews-here.ts'
import { PreviewsInThread } from '../../src/emulate/previews-in-thread.ts'
import { openServices } from '../../src/open-services.ts'
import { addressOf, sendsOf } from './sends.ts'

/** A loaded machine takes its time. */
const PATIENCE_MS = 240_000

let scratch: ScratchDatabase
let replay: Replay
let here: Previewer
let settings: Record<string, string>
const folder = mkdtempSync(join(tmpdir(), 'preview-thread-'))
const closing: (() => unknown)[] = []
const metrics = createMetrics()
const patient = new AbortController().signal

beforeAll(async () => {
  scratch = await classifiedChain()
  replay = await startReplay({ recording: FIXTURE_CHAIN_FOLDER })
  const network = join(folder, 'global.config.json')
  writeFileSync(network, replay.globalConfig)
  settings = {
    ...{ DATABASE_URL: scratch.url, NETWORK: network, DATA_DIR: folder },
    ...{ API_EMULATION_TIMEOUT_MS: '9000', LOG_LEVEL: 'error' },
  }
  const { liteServers, zeroState } = parseGlobalConfig(replay.globalConfig)
  const pool = new LiteServerPool({ servers: liteServers, ...(zeroState && { zeroState }) })
  const tvm = new TvmPool({ threads: 1, timeoutMs: PATIENCE_MS })
  closing.push(
    () => pool.close(),
    () => tvm.close(),
  )
  const lite = { pool, tvm, untrustedTvm: tvm, anchor: zeroState }
  here = new PreviewsHere(openServices({ db: scratch.db, lite: () => lite }), PATIENCE_MS)
})
afterAll(async () => {
  for (const close of closing) await close()
  await replay?.close()
  await scratch?.close()
  rmSync(folder, { recursive: true, force: true })
})

const SETTINGS = { timeoutMs: undefined, noAddressBook: false, noMetadata: false, debug: false }
const ALL = {
  with_actions: true,
  include_code_data: true,
  include_address_book: true,
  include_metadata: true,
}
const question = (kind: PreviewQuestion['kind'], body: object): PreviewQuestion => ({
  kind,
  body: Buffer.from(JSON.stringify(body)),
  client: 'test',
  settings: SETTINGS,
})

/** The reply as text, or the error that a client would get. Lite servers may take their time at first. */
async function answered(previews: Previewer, asked: PreviewQuestion): Promise<string> {
  for (let tries = 1; ; tries++)
    try {
      return textOf(await previews.answer(asked, patient))
    } catch (error) {
      const { status, message, headers } = emulationFailure(error)!
      if (status !== 504 || tries > 20) return JSON.stringify({ status, message, headers })
    }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

function textOf({ body, encoding }: PreviewReply): string {
  if (typeof body === 'string') return body
  return String((encoding === 'gzip' ? gunzipSync : brotliDecompressSync)(body))
}

function inThread(): { thread: PreviewsInThread; ended: (Error | undefined)[] } {
  const ended: (Error | undefined)[] = []
  const thread = new PreviewsInThread({ settings, metrics, onEnd: (error) => ended.push(error) })
  closing.push(() => thread.end())
  return { thread, ended }
}
const ENCODINGS = [undefined, 'gzip', 'br'] as const
const untilReady = (thread: PreviewsInThread) =>
  expect.poll(() => thread.isReady, { timeout: PATIENCE_MS }).toBe(true)

/** Tests share it, up to the one that ends it. */
let started: ReturnType<typeof inThread> | undefined
async function shared() {
  started ??= inThread()
  await untilReady(started.thread)
  return started
}

test('a thread of their own gives the same replies and failures as that of the requests', async () => {
  const { thread } = await shared()
  const sends = sendsOf(/^(jetton\.j[14]\.transfer|nft\..*)$/).slice(0, isLong ? 6 : 3)
  const questions = sends.flatMap(({ boc, step }) =>
    [{ ...ALL }, {}].map((included) =>
      question('trace', { boc, mc_block_seqno: step.started_mc_seqno, ignore_chksig: true, ...included }),
    ),
  )
  const from = addressOf('wallet-v4r2')
  const messages = [{ address: from, amount: '1' }]
  const asked = [
    ...questions,
    question('tonConnect', { from, messages, mc_block_seqno: 400, ...ALL }),
    question('tonConnect', { from, messages: [] }),
    question('trace', { boc: 'AA' }),
    question('trace', { boc: sends[0]!.boc, mc_block_seqno: 1_000_000 }),
  ]
  let replies = 0
  for (const [index, one] of asked.entries()) {
    const reply = await answered(here, one)
    for (const encoding of isLong ? ENCODINGS : [ENCODINGS[index % 3]])
      expect(sha256(await answered(thread, { ...one, encoding }))).toEqual(sha256(reply))
    if (reply.includes('rand_seed')) replies++
  }
  expect(replies).toBeGreaterThan(4)
  expect(replies).toBeLessThan(asked.length)
  // What the thread asks is counted with what the process asks.
  const counted = async () => /liteserver_requests_total\S* \d/.test(await metrics.text())
  await expect.poll(counted, { timeout: PATIENCE_MS }).toBe(true)
})

test('who leaves is not waited for', async () => {
  const { thread } = await shared()
  const { boc } = sendsOf(/^jetton\.j1\.transfer$/)[0]!
  const left = thread.answer(question('trace', { boc }), AbortSignal.abort())
  await expect(left).rejects.toMatchObject({ status: 504 })
  expect(thread.isReady).toBe(true)
})

test('when the thread ends, who waits for it is asked to come again', async () => {
  const { thread, ended } = await shared()
  const { boc } = sendsOf(/^jetton\.j1\.transfer$/)[0]!
  const waiting = thread.answer(question('trace', { boc }), patient)
  thread.end(new Error('killed'))
  await expect(waiting).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
  expect(thread.isReady).toBe(false)
  expect(ended).toMatchObject([{ message: 'killed' }])
})

test('few are answered by the thread of the requests, many by one of their own if it can start', async () => {
  const counted: Previewer = { answer: async () => ({ body: '{}', timing: '' }) }
  const { boc } = sendsOf(/^jetton\.j1\.transfer$/)[0]!
  const asked = question('trace', { boc })
  const many = (of: typeof settings, some: number) =>
    new ManyPreviews(counted, {
      startThread: (onEnd) => new PreviewsInThread({ settings: of, metrics, onEnd }),
      log: silentLogger,
      many: some,
    })
  const previews = many(settings, 3)
  closing.push(() => previews.close())
  for (let i = 0; i < 2; i++) await answered(previews, asked)
  expect(previews.isStarted).toBe(false)
  await answered(previews, asked)
  expect(previews.isStarted).toBe(true)
  const isAsked = async () => {
    await answered(previews, asked)
    return previews.inThread > 0
  }
  await expect.poll(isAsked, { timeout: PATIENCE_MS }).toBe(true)
  const broken = many({}, 1)
  const hasFailed = async () => {
    expect(await answered(broken, asked)).toBe('{}')
    return !broken.isStarted
  }
  await expect.poll(hasFailed, { timeout: PATIENCE_MS }).toBe(true)
  expect(broken.inThread).toBe(0)
})
