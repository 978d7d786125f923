import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StreamClient, type StreamEvent } from '@shardwalk/client'
import { readSentMessage } from '@shardwalk/pending'
import { endWithTests, randomFrom } from '@shardwalk/testkit'
import { COMPILED_ROOT, isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { eventually, GrowingChain } from './growing-chain.ts'

// The jetton transfer of life-cycle.int.test.ts: it begins in block 242 and ends in 248.
const BEFORE = 241
const END = 248
const TRANSFER = '5c6877f4'
const NODES = 5
/** In each block, and in a short run in every other. */
const KILLS = isLong ? 2 : 1
const MAX_DELAY_MS = 400

let chain: GrowingChain
let folder: string
let network: string
let port: number
beforeAll(async () => {
  chain = await GrowingChain.open({ from: BEFORE, to: END })
  await chain.classify()
  folder = await mkdtemp(join(tmpdir(), 'pending-kills-'))
  network = join(folder, 'global.config.json')
  await writeFile(network, chain.globalConfig)
  port = await freePort()
}, 300_000)
afterAll(async () => {
  running?.kill('SIGKILL')
  await chain?.close()
  await rm(folder, { recursive: true, force: true })
})

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as AddressInfo
      server.close(() => resolve(free))
    })
  })

let running: ChildProcess | undefined
const base = () => `http://127.0.0.1:${port}`

/** An API process as it is started; every one has the same address, as behind a proxy. */
async function start(): Promise<void> {
  const entry = join(COMPILED_ROOT, 'dist/apps/api/src/main.js')
  const env = {
    ...process.env,
    ...{ DATABASE_URL: chain.scratch.url, API_PORT: String(port), API_HOST: '127.0.0.1' },
    ...{ NETWORK: network, LOG_LEVEL: 'error', PAGES: 'off' },
  }
  running = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  endWithTests(running)
  await eventually(async () => (await get('masterchainInfo')) !== undefined, 'a process that answers')
}

/** What the passing of time does: nobody waits for the lease of a process that is dead. */
async function kill(): Promise<void> {
  const exited = once(running!, 'exit')
  running!.kill('SIGKILL')
  await exited
  await chain.scratch.pool.query(
    'update pending_traces set leased_until = now() where leased_until is not null',
  )
}

async function get(path: string): Promise<Json | undefined> {
  try {
    const reply = await fetch(`${base()}/api/v3/${path}`)
    return reply.status === 200 ? ((await reply.json()) as Json) : undefined
  } catch {
    return undefined
  }
}

interface Trace {
  readonly transactions: Readonly<Record<string, { readonly emulated: boolean }>>
}
async function pendingTrace(key: string): Promise<Trace | undefined> {
  const reply = await get(`pendingTraces?ext_msg_hash=${encodeURIComponent(key)}`)
  return (reply?.['traces'] as Trace[] | undefined)?.[0]
}

test('a process killed at any step leaves no trace pending, and nothing final is taken back', async () => {
  const seed = Date.now() >>> 0
  const random = randomFrom(seed)
  const all = await chain.messagesOf(BEFORE + 1)
  const boc = all.find((one) => readSentMessage(one).hash.toString('hex').startsWith(TRANSFER))!
  const { account, hashNorm } = readSentMessage(boc)
  const key = hashNorm.toString('base64')
  await start()
  const end = new AbortController()
  const events: StreamEvent[] = []
  const reading = (async () => {
    const wanted = { types: ['transactions', 'actions'] as const, addresses: [account] }
    const follow = { ...wanted, minFinality: 'pending' as const, resumeFrom: BEFORE }
    for await (const event of new StreamClient({ url: base() }).events(follow, { signal: end.signal }))
      events.push(event)
  })().catch((error: unknown) => error)

  const sent = await fetch(`${base()}/api/v3/message`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ boc: boc.toString('base64') }),
  })
  expect(sent.status, await sent.text()).toBe(200)
  const admitted = async () => (await chain.scratch.pool.query('select from pending_traces')).rowCount === 1
  await eventually(admitted, 'the message admitted')
  await chain.prolong()
  // Admitted, and perhaps being emulated.
  await kill()
  await start()
  await eventually(() => pendingTrace(key), 'the work of the one that died')
  await chain.prolong()
  for (let seqno = BEFORE + 1; seqno <= END; seqno++) {
    await chain.moveTo(seqno)
    for (let i = 0; i < KILLS && (isLong || seqno % 2 === 0); i++) {
      await new Promise((resolve) => setTimeout(resolve, random() * MAX_DELAY_MS))
      await kill()
      await start()
    }
    const trace = await eventually(() => pendingTrace(key), `block ${seqno}, seed ${seed}`)
    expect(Object.keys(trace.transactions), `seed ${seed}`).toHaveLength(NODES)
  }
  const isReal = ({ emulated }: { readonly emulated: boolean }) => !emulated
  const whole = async () => Object.values((await pendingTrace(key))?.transactions ?? {}).every(isReal)
  await eventually(whole, `all of it happened, seed ${seed}`)
  await kill()
  await chain.classify()
  await start()
  await eventually(async () => (await get('masterchainInfo')) && !(await pendingTrace(key)), 'the end')
  const { rows } = await chain.scratch.pool.query('select changed_at from pending_traces')
  expect(rows).toHaveLength(1)
  // What the passing of time does: replicas had time to follow.
  await chain.scratch.pool.query(
    `update pending_traces set changed_at = now() - interval '1 minute', due_at = least(due_at, now())`,
  )
  const gone = async () => (await chain.scratch.pool.query('select from pending_traces')).rowCount === 0
  await eventually(gone, `no trace that stays, seed ${seed}`)

  const own = () =>
    events.filter((event) => 'trace_external_hash_norm' in event && event.trace_external_hash_norm === key)
  const finalities = () => own().map((event) => ('finality' in event ? event.finality : event.type))
  await eventually(async () => finalities().includes('finalized'), `the final event, seed ${seed}`)
  end.abort()
  await reading
  expect(finalities(), `seed ${seed}`).not.toContain('trace_invalidated')
  expect(finalities().at(-1), `seed ${seed}`).toBe('finalized')
})
