import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StreamClient, type StreamEvent } from '@shardwalk/client'
import { readSentMessage } from '@shardwalk/pending'
import { endWithTests, randomFrom, shuffled, waitFor } from '@shardwalk/testkit'
import { freePort } from '@shardwalk/testkit/free-port'
import { COMPILED_ROOT, isLong, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { GrowingChain } from './growing-chain.ts'

// The jetton transfer of life-cycle.int.test.ts: it begins in block 242 and ends in 248.
const BEFORE = 241
const END = 248
const TRANSFER = '5c6877f4'
const NODES = 5
const MAX_DELAY_MS = 400
/** Answers take the time of the processes that are waited for. */
const ASKED = { everyMs: 150 }

let chain: GrowingChain
let folder: string
let network: string
let port: number
beforeAll(async () => {
  chain = await GrowingChain.open({ from: BEFORE, to: END })
  await chain.classify()
  // The processes have only the blocks of the test to do.
  await chain.scratch.pool.query('truncate refresh_queue')
  folder = await mkdtemp(join(tmpdir(), 'pending-kills-'))
  network = join(folder, 'global.config.json')
  await writeFile(network, chain.globalConfig)
  port = await freePort()
})
afterAll(async () => {
  for (const child of running.values()) child.kill('SIGKILL')
  await chain?.close()
  await rm(folder, { recursive: true, force: true })
})

const PROGRAMS = {
  api: 'api/src/main.js',
  ingest: 'ingest/src/main.js',
  actions: 'actions/src/worker.js',
} as const
type Name = keyof typeof PROGRAMS

const running = new Map<Name, ChildProcess>()
const base = () => `http://127.0.0.1:${port}`

/** A process as it is started; every API has the same address, as behind a proxy. */
async function start(name: Name): Promise<void> {
  const env = {
    ...{ ...process.env, DATABASE_URL: chain.scratch.url, DATA_DIR: folder, NETWORK: network },
    ...{ API_PORT: String(port), API_HOST: '127.0.0.1', PAGES: 'off', LOG_LEVEL: 'error' },
    ...{ INDEX_FROM: 'genesis', INGEST_PORT: '0', CHAIN_ENDS: '1' },
  }
  const entry = join(COMPILED_ROOT, 'dist/apps', PROGRAMS[name])
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  endWithTests(child)
  running.set(name, child)
  if (name === 'api')
    await waitFor('an API that answers', async () => (await get('masterchainInfo')) !== undefined, ASKED)
}

async function kill(name: Name): Promise<void> {
  const child = running.get(name)!
  expect(child.exitCode, `${name} ended by itself`).toBeNull()
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  // What the passing of time does: nobody waits for the lease of a process that is dead.
  if (name === 'api')
    await chain.scratch.pool.query(
      'update pending_traces set leased_until = now() where leased_until is not null',
    )
}

/** Processes that start again take their time: what is pending now is not given up soon. */
async function unhurried(): Promise<void> {
  await chain.prolong()
  await chain.scratch.pool.query('update pending_traces set changed_at = now()')
}

async function restart(name: Name): Promise<void> {
  await kill(name)
  await start(name)
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
  readonly is_incomplete: boolean
  readonly transactions: Readonly<Record<string, object>>
}
async function pendingTrace(key: string): Promise<Trace | undefined> {
  const reply = await get(`pendingTraces?ext_msg_hash=${encodeURIComponent(key)}`)
  return (reply?.['traces'] as Trace[] | undefined)?.[0]
}

/** Undefined while no API answers. A trace that is asked for as pending first cannot be between both. */
async function whereabouts(key: string): Promise<'pending' | 'indexed' | 'nowhere' | undefined> {
  const hash = encodeURIComponent(key)
  const pending = await get(`pendingTraces?ext_msg_hash=${hash}`)
  if (!pending) return undefined
  if ((pending['traces'] as Json[]).length > 0) return 'pending'
  const indexed = await get(`traces?msg_hash=${hash}`)
  return indexed && ((indexed['traces'] as Json[]).length > 0 ? 'indexed' : 'nowhere')
}

const isIndexed = async (seqno: number): Promise<boolean> => {
  const info = (await get('masterchainInfo')) as { last: { seqno: number } } | undefined
  return info !== undefined && info.last.seqno >= seqno
}

async function transferToSend(): Promise<{ boc: Buffer; account: string; key: string }> {
  const all = await chain.messagesOf(BEFORE + 1)
  const boc = all.find((one) => readSentMessage(one).hash.toString('hex').startsWith(TRANSFER))!
  const { account, hashNorm } = readSentMessage(boc)
  return { boc, account, key: hashNorm.toString('base64') }
}

/** Adds the events of the account to `events` until `signal`. */
async function follow(account: string, events: StreamEvent[], signal: AbortSignal): Promise<void> {
  const wanted = { types: ['transactions', 'actions'] as const, addresses: [account] }
  const options = { ...wanted, minFinality: 'pending' as const, resumeFrom: BEFORE }
  for await (const event of new StreamClient({ url: base() }).events(options, { signal })) events.push(event)
}

/** Adds the places where the trace is found to `places` until `signal`. */
async function watch(key: string, places: Set<string | undefined>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    places.add(await whereabouts(key))
    await delay(250)
  }
}

async function admit(boc: Buffer): Promise<void> {
  const sent = await fetch(`${base()}/api/v3/message`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ boc: boc.toString('base64') }),
  })
  expect(sent.status, await sent.text()).toBe(200)
  const admitted = async () => (await chain.scratch.pool.query('select from pending_traces')).rowCount === 1
  await waitFor('the message admitted', admitted)
  await unhurried()
}

async function expectWhole(key: string, when: string): Promise<void> {
  const whole = async () => {
    const trace = await pendingTrace(key)
    // While processes start, runs may take longer than they may: they are tried again then.
    return trace?.is_incomplete === false && trace
  }
  const { transactions } = await waitFor(when, whole, ASKED)
  expect(Object.keys(transactions), when).toHaveLength(NODES)
}

/** No trace is pending once replicas had time to follow. */
async function expectGone(when: string): Promise<void> {
  // What the passing of time does.
  await chain.scratch.pool.query(
    `update pending_traces set changed_at = now() - interval '1 minute', due_at = least(due_at, now())`,
  )
  const gone = async () => (await chain.scratch.pool.query('select from pending_traces')).rowCount === 0
  await waitFor(`no trace that stays, ${when}`, gone)
}

test('kills at any step leave no trace pending or nowhere, and nothing final is taken back', async () => {
  const seed = testSeed()
  const random = randomFrom(seed)
  const { boc, account, key } = await transferToSend()
  await Promise.all([start('api'), start('ingest'), start('actions')])
  const end = new AbortController()
  const events: StreamEvent[] = []
  const reading = follow(account, events, end.signal).catch((error: unknown) => error)
  await admit(boc)
  // Admitted, and perhaps being emulated.
  await restart('api')
  await waitFor('the work of the one that died', () => pendingTrace(key), ASKED)
  const places = new Set<string | undefined>()
  const watching = watch(key, places, end.signal)
  // Unless tests are long: one of them, where the trace begins or where it ends.
  const [place] = shuffled([BEFORE + 1, END], random)
  for (let seqno = BEFORE + 1; seqno <= END; seqno++) {
    await unhurried()
    chain.announce(seqno)
    const victims = isLong ? [any(random), any(random)] : seqno === place ? [other(random)] : []
    for (const victim of victims) {
      await delay(random() * MAX_DELAY_MS)
      await restart(victim)
    }
    await waitFor(`block ${seqno} indexed, seed ${seed}`, () => isIndexed(seqno), ASKED)
    // After its last block the trace is derived from and is pending no more.
    if (seqno === END) break
    await expectWhole(key, `block ${seqno}, seed ${seed}`)
  }
  if (isLong || random() < 0.5) await restart('api')
  await waitFor(`the end, seed ${seed}`, async () => (await whereabouts(key)) === 'indexed', ASKED)
  await expectGone(`seed ${seed}`)

  const own = () =>
    events.filter((event) => 'trace_external_hash_norm' in event && event.trace_external_hash_norm === key)
  const finalities = () => own().map((event) => ('finality' in event ? event.finality : event.type))
  await waitFor(`the final event, seed ${seed}`, async () => finalities().includes('finalized'))
  end.abort()
  await Promise.all([reading, watching])
  expect(places, `seed ${seed}`).not.toContain('nowhere')
  expect(finalities(), `seed ${seed}`).not.toContain('trace_invalidated')
  expect(finalities().at(-1), `seed ${seed}`).toBe('finalized')
})

const other = (random: () => number): Name => (random() < 0.5 ? 'ingest' : 'actions')
const any = (random: () => number): Name =>
  (['ingest', 'ingest', 'actions', 'api'] as const)[Math.floor(random() * 4)]!
