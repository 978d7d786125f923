// Measures requests per second, percentiles and CPU time of API v2 on the sample chain.
//   node --import tsx apps/api/bench/v2.bench.ts [seconds per row] [connections]
// Lite server, API and clients are three processes. The CPU time is that of the API, which is meaningful even
// on a busy machine.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Db } from '@shardwalk/db'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { silentLogger } from '@shardwalk/observability'
import { startReplay } from '@shardwalk/replay'
import { TvmPool } from '@shardwalk/tvm'
import { createApi } from '../src/create-api.ts'
import { listen } from '../src/server.ts'

const WALLET = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'
const RECORDING = fileURLToPath(new URL('../../../fixtures/chain', import.meta.url))

/** Reports the CPU time used so far, in milliseconds, on request. */
function tellCpuTime(): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send!({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 })
  })
}

async function runLiteServer(): Promise<void> {
  const { globalConfig } = await startReplay({ recording: RECORDING })
  process.send!({ globalConfig })
}

async function runApi(globalConfig: string): Promise<void> {
  const { liteServers, zeroState } = parseGlobalConfig(globalConfig)
  const pool = new LiteServerPool({ servers: liteServers, ...(zeroState && { zeroState }) })
  const services = {
    pool,
    tvm: new TvmPool({ threads: 1 }),
    untrustedTvm: new TvmPool({ threads: 1 }),
    anchor: zeroState,
  }
  // API v2 needs no database.
  const db = {
    getExecutor: () => {
      throw new Error('no database')
    },
  } as unknown as Db
  const server = await listen(createApi({ db, log: silentLogger, lite: () => services }), {
    host: '127.0.0.1',
    port: 0,
  })
  tellCpuTime()
  process.send!({ port: server.port })
}

async function start<T>(...args: string[]): Promise<{ child: ChildProcess; said: T }> {
  const child = fork(fileURLToPath(import.meta.url), args, { execArgv: process.execArgv })
  const [said] = (await once(child, 'message')) as [T]
  return { child, said }
}

type Request = readonly [path: string, body?: string]
const run = (seqno?: number): Request => [
  'runGetMethod',
  JSON.stringify({ address: WALLET, method: 'seqno', stack: [], ...(seqno && { seqno }) }),
]
const LAST = 529
/** A different block each time, as long as there are any, so that no request is repeated. */
let next = LAST
const olderSeqno = () => Math.max(40, --next)

const ROWS: readonly (readonly [name: string, ask: () => Request, cold?: 'cold'])[] = [
  ['getMasterchainInfo', () => ['getMasterchainInfo']],
  ['getAddressInformation, warm', () => [`getAddressInformation?address=${WALLET}`]],
  [
    'getAddressInformation, cold',
    () => [`getAddressInformation?address=${WALLET}&seqno=${olderSeqno()}`],
    'cold',
  ],
  ['getTransactions, warm', () => [`getTransactions?address=${WALLET}&limit=10`]],
  ['getTransactions, cold', () => [`getTransactions?address=${WALLET}&limit=${--next % 900}`], 'cold'],
  ['runGetMethod, warm', () => run()],
  ['runGetMethod, cold', () => run(olderSeqno()), 'cold'],
]
/** Number of requests of a cold row, limited by the number of blocks. */
const COLD_REQUESTS = 150

async function measure(): Promise<void> {
  const seconds = Number(process.argv[2] ?? 3)
  const connections = Number(process.argv[3] ?? 16)
  const liteServer = await start<{ globalConfig: string }>('lite-server')
  const api = await start<{ port: number }>('api', liteServer.said.globalConfig)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send = ([path, body]: Request): Promise<number> =>
    new Promise((resolve, reject) => {
      const at = {
        agent,
        host: '127.0.0.1',
        port: api.said.port,
        path: `/api/v2/${path}`,
        method: body ? 'POST' : 'GET',
      }
      const outgoing = request(at, (reply) => reply.resume().once('end', () => resolve(reply.statusCode!)))
      outgoing.once('error', reject).end(body)
    })
  const usage = async (): Promise<{ cpuMs: number; rssMb: number }> => {
    api.child.send('usage')
    const [usage] = await once(api.child, 'message')
    return usage as { cpuMs: number; rssMb: number }
  }
  // The lite server computes its newest state once, which takes a while.
  while ((await send(run())) !== 200);
  for (const [name, ask, cold] of ROWS) {
    next = LAST
    if (!cold) await send(ask())
    const times: number[] = []
    const before = await usage()
    const begin = performance.now()
    const isOver = () => (cold ? times.length >= COLD_REQUESTS : performance.now() - begin > seconds * 1000)
    const client = async () => {
      while (!isOver()) {
        const sent = performance.now()
        const status = await send(ask())
        if (status !== 200) throw new Error(`${name}: ${status}`)
        times.push(performance.now() - sent)
      }
    }
    await Promise.all(Array.from({ length: cold ? 4 : connections }, client))
    const elapsed = (performance.now() - begin) / 1000
    print(name, times, elapsed, (await usage()).cpuMs - before.cpuMs)
  }
  console.log(`memory of the API: ${Math.round((await usage()).rssMb)} MB`)
  agent.destroy()
  for (const { child } of [api, liteServer]) child.kill()
}

function print(name: string, times: number[], elapsed: number, cpuMs: number): void {
  times.sort((a, b) => a - b)
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1)
  const rate = String(Math.round(times.length / elapsed)).padStart(6)
  const cpu = (cpuMs / times.length).toFixed(2)
  console.log(
    `${name.padEnd(30)} ${rate}/s  p50 ${at(0.5)} ms  p95 ${at(0.95)}  p99 ${at(0.99)}  processor ${cpu} ` +
      'ms/request',
  )
}

const [role, config] = process.argv.slice(2)
if (role === 'lite-server') await runLiteServer()
else if (role === 'api') await runApi(config!)
else await measure()
