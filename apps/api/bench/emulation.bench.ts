// What emulations cost those who only read: /transactions alone, and beside previews of transfers that differ
// from each other, with everything that wallets ask for. Lite server, API and clients are three processes.
//   node --import tsx apps/api/bench/emulation.bench.ts [emulations per second] [seconds per run]
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startReplay } from '@shardwalk/replay'
import { FIXTURE_CHAIN_FOLDER, scratchDatabase, Verdicts } from '@shardwalk/testkit'
import { addressOf } from '../test/emulate/sends.ts'
import { loadSampleChain } from '../test/sample-chain.ts'

const EMULATIONS = Number(process.argv[2] ?? 100)
const SECONDS = Number(process.argv[3] ?? 15)
/** Requests to /transactions per second. */
const READS = 100
const ROUNDS = 3
const WALLETS = ['wallet-v3r2', 'wallet-v4r2', 'wallet-v5r1'].map(addressOf)

interface Reply {
  readonly ms: number
  readonly status: number
}

async function main(): Promise<void> {
  const scratch = await scratchDatabase()
  await loadSampleChain(scratch)
  const folder = mkdtempSync(join(tmpdir(), 'emulation-bench-'))
  const lite = fork(fileURLToPath(import.meta.url), ['lite-server'], { execArgv: process.execArgv })
  const [globalConfig] = (await once(lite, 'message')) as [string]
  const network = join(folder, 'global.config.json')
  writeFileSync(network, globalConfig)
  const api = await startApi({ DATABASE_URL: scratch.url, NETWORK: network, DATA_DIR: folder })
  try {
    const { rows } = await scratch.pool.query<{ address: string }>(`
      select a.workchain || ':' || upper(encode(a.address, 'hex')) as address
      from (select account_id, count(*) from transactions group by 1 order by 2 desc limit 20) t
      join accounts a on a.id = t.account_id`)
    const read = (i: number) => api.get(`/api/v3/transactions?account=${rows[i % rows.length]!.address}`)
    await paced(read, READS, 5)
    await paced(emulating(api.post), Math.min(EMULATIONS, 20), 5)
    const alone: Reply[] = []
    const beside: Reply[] = []
    const emulated: Reply[] = []
    let cpuMs = 0
    for (let round = 0; round < ROUNDS; round++) {
      const before = await api.cpuMs()
      alone.push(...(await paced(read, READS, SECONDS)))
      const between = await api.cpuMs()
      const [reads, emulations] = await Promise.all([
        paced(read, READS, SECONDS),
        paced(emulating(api.post), EMULATIONS, SECONDS),
      ])
      beside.push(...reads)
      emulated.push(...emulations)
      cpuMs += (await api.cpuMs()) - between - (between - before)
    }
    const answered = emulated.filter(({ status }) => status === 200)
    console.log(`/transactions alone:  ${spread(alone)}`)
    console.log(`/transactions beside: ${spread(beside)}`)
    const rate = answered.length / SECONDS / ROUNDS
    console.log(`emulations: ${rate.toFixed(0)} of ${EMULATIONS}/s answered; ${spread(answered)}`)
    const others = [...new Set(emulated.map(({ status }) => status))].filter((status) => status !== 200)
    for (const status of others)
      console.log(`  status ${status}: ${emulated.filter((one) => one.status === status).length}`)
    console.log(`CPU of the API per emulation: ${(cpuMs / answered.length).toFixed(1)} ms`)
    const verdicts = new Verdicts()
    verdicts.add(`${EMULATIONS} emulations/s answered`, rate > 0.99 * EMULATIONS, `${rate.toFixed(1)}/s`)
    const later = at(beside, 0.99) - at(alone, 0.99)
    verdicts.atMost(`p99 of /transactions beside them later by`, 20, later, 'ms')
    verdicts.print()
  } finally {
    await stop(api.child)
    await stop(lite)
    rmSync(folder, { recursive: true, force: true })
    await scratch.close()
  }
}

let transfers = 0
/** A transfer of another amount each time: the same one would be answered from memory. */
const emulating = (post: (path: string, body: object) => Promise<Reply>) => () =>
  post('/api/emulate/v1/emulateTonConnect', {
    from: WALLETS[transfers % WALLETS.length],
    messages: [{ address: addressOf('sink'), amount: String(++transfers) }],
    ...{ with_actions: true, include_code_data: true, include_address_book: true, include_metadata: true },
  })

/** Requests begin at their times, however long others take, and their times count from then. */
async function paced(
  request: (index: number) => Promise<Reply>,
  perSecond: number,
  seconds: number,
): Promise<Reply[]> {
  const start = performance.now()
  const all: Promise<Reply>[] = []
  for (let i = 0; i < perSecond * seconds; i++) {
    const due = start + (1000 * i) / perSecond
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    all.push(request(i).then(({ status }) => ({ status, ms: performance.now() - due })))
  }
  return Promise.all(all)
}

function at(replies: readonly Reply[], share: number): number {
  const times = replies.map(({ ms }) => ms).sort((a, b) => a - b)
  return times[Math.floor((times.length - 1) * share)] ?? 0
}

const spread = (replies: readonly Reply[]): string =>
  [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${at(replies, share).toFixed(1)}`).join('  ')

async function startApi(env: Record<string, string>) {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', entry], {
    env: {
      ...{ ...process.env, ...env, LOG_LEVEL: 'error', ANONYMOUS_RPS: '0' },
      ...{ API_PORT: String(port), METRICS_PORT: String(metricsPort) },
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const base = `http://127.0.0.1:${port}`
  const ask = async (path: string, init?: RequestInit): Promise<Reply> => {
    const reply = await fetch(`${base}${path}`, init)
    await reply.arrayBuffer()
    return { ms: 0, status: reply.status }
  }
  const headers = { 'Content-Type': 'application/json' }
  const deadline = Date.now() + 120_000
  const isReady = async () => (await ask('/readyz').catch(() => undefined))?.status === 200
  while (!(await isReady())) {
    if (Date.now() > deadline) throw new Error('the API did not start')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return {
    child,
    get: (path: string) => ask(path),
    post: (path: string, body: object) => ask(path, { method: 'POST', headers, body: JSON.stringify(body) }),
    async cpuMs(): Promise<number> {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      const seconds = /^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]
      if (seconds === undefined) throw new Error('the metrics of the API tell no CPU time')
      return 1000 * Number(seconds)
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

if (process.argv.includes('lite-server')) {
  const { globalConfig } = await startReplay({ recording: FIXTURE_CHAIN_FOLDER })
  process.send!(globalConfig)
} else await main()
