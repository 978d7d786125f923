// Measures requests per second and percentiles of v3 endpoints, and compares them with the same SQL in a loop
// over a pool and in pgbench.
//   node --import tsx apps/api/bench/requests.bench.ts [copies] [seconds] [part of the names]
// Default: 14 copies of the recorded chain, 4 seconds per run. The API runs in a process of its own with 8
// concurrent requests; percentiles apply to that load.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDb } from '@shardwalk/db'
import { scratchDatabase } from '@shardwalk/testkit'
import { Client } from '../test/client.ts'
import { loadSampleChain } from '../test/sample-chain.ts'
import { replicate } from './replicate.ts'
import { literal, recordStatements, type Statement } from './statements.ts'

const copies = Number(process.argv[2] ?? 14)
const seconds = Number(process.argv[3] ?? 4)
const filter = process.argv[4] ?? ''
const CONCURRENCY = 8
const VARIANTS = 20
const WARM_UP_SECONDS = 5

const scratch = await scratchDatabase()
const port = 18099
await loadSampleChain(scratch)
await replicate(scratch.url, copies - 1)
const { rows: counts } = await scratch.pool.query('select count(*)::int as n from transactions')
console.log(`${counts[0].n} transactions; ${CONCURRENCY} at a time, ${seconds} s a run`)
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
const server = startServer(scratch.url)
try {
  await server.ready
  for (const [name, paths] of Object.entries(await endpoints()))
    if (name.includes(filter)) await compare(name, paths)
} finally {
  server.stop()
  await scratch.close()
}

async function endpoints(): Promise<Record<string, string[]>> {
  const { rows } = await scratch.pool.query<{ address: string }>(`
    select a.workchain || ':' || upper(encode(a.address, 'hex')) as address
    from (select account_id, count(*) from transactions group by 1 order by 2 desc limit ${VARIANTS}) t
    join accounts a on a.id = t.account_id`)
  const accounts = rows.map((row) => encodeURIComponent(row.address))
  const range = await scratch.pool.query(
    'select min(now) as first, max(now) as last, max(lt) as lt from transactions',
  )
  const { first, last, lt } = range.rows[0]
  const at = (share: number) => Math.floor(first + (last - first) * share)
  const each = (make: (account: string, share: number) => string) =>
    accounts.map((account, index) => `/api/v3/${make(account, (index + 0.5) / accounts.length)}`)
  return {
    '/transactions?account=': each((account) => `transactions?account=${account}`),
    '/transactions': each(() => 'transactions'),
    '/transactions, a period': each(
      (_, share) => `transactions?start_utime=${at(share) - 3600}&end_utime=${at(share)}`,
    ),
    '/transactions, old lt by time': each(
      (_, share) => `transactions?start_utime=1&end_lt=${BigInt(Math.floor(Number(lt) * share))}`,
    ),
    '/transactions?workchain=-1': each(() => 'transactions?workchain=-1'),
    '/messages': each(() => 'messages'),
    '/messages?start_lt=1': each(() => 'messages?start_lt=1'),
    '/messages?destination=': each((account) => `messages?destination=${account}`),
    '/messages?opcode=': each(() => 'messages?opcode=0x0f8a7ea5&exclude_externals=true'),
    '/transactionsByMessage?opcode=': each(() => 'transactionsByMessage?opcode=0x0f8a7ea5'),
    '/blocks': each(() => 'blocks'),
  }
}

async function compare(name: string, paths: readonly string[]): Promise<void> {
  const statements = await statementsOf(paths)
  // A service runs for days, so compiled code is measured.
  await run((i) => fetchPath(paths[i % paths.length]!), WARM_UP_SECONDS)
  const api = await run((i) => fetchPath(paths[i % paths.length]!), seconds)
  const loop = await poolLoop(statements)
  const bench = pgbench(statements)
  const ratio = (of: number | undefined) =>
    of === undefined ? '-' : `${((100 * api.rate) / of).toFixed(0)} %`
  console.log(
    `${name.padEnd(34)} ${api.rate.toFixed(0).padStart(6)}/s  p50 ${api.p50.toFixed(1)}  p95 ` +
      `${api.p95.toFixed(1)}  p99 ${api.p99.toFixed(1)} ms` +
      `  | ${statements[0]!.length} statements: pool ${loop.rate.toFixed(0)}/s (API ${ratio(loop.rate)})` +
      `  pgbench ${bench?.toFixed(0) ?? 'not installed'}/s (API ${ratio(bench)})`,
  )
}

/** The statements that each path executes once its addresses are cached, recorded in this process. */
async function statementsOf(paths: readonly string[]): Promise<Statement[][]> {
  const recorder = recordStatements()
  const client = await Client.start(scratch)
  const recorded: Statement[][] = []
  try {
    for (const path of paths) {
      const ask = async () => {
        await (await fetch(client.server.url + path)).text()
      }
      await ask()
      recorded.push([...(await recorder.during(ask))])
    }
  } finally {
    await client.close()
    recorder.end()
  }
  return recorded
}

async function poolLoop(statements: readonly Statement[][]) {
  const handle = createDb({ url: scratch.url, max: CONCURRENCY })
  try {
    return await run(async (i) => {
      for (const { text, values } of statements[i % statements.length]!)
        await handle.pool.query(text, [...values])
    }, seconds)
  } finally {
    await handle.close()
  }
}

/** Runs the same statements, with their values written out, in pgbench. */
function pgbench(statements: readonly Statement[][]): number | undefined {
  if (spawnSync('pgbench', ['--version']).status !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'shardwalk-pgbench-'))
  const files = statements.map((list, index) => {
    const file = join(folder, `${index}.sql`)
    writeFileSync(file, list.map((statement) => `${inline(statement)};`).join('\n'))
    return ['-f', file]
  })
  const options = ['-n', '-c', String(CONCURRENCY), '-j', '2', '-T', String(seconds)]
  const result = spawnSync('pgbench', [...options, ...files.flat(), scratch.url], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  const tps = /tps = ([\d.]+)/.exec(result.stdout)?.[1]
  if (!tps) console.error(result.stderr.slice(0, 500))
  return tps ? Number(tps) : undefined
}

function inline({ text, values }: Statement): string {
  return text
    .replace(/\$(\d+)/g, (_, index: string) => literal(values[Number(index) - 1]))
    .replace(/\s+/g, ' ')
}

async function run(request: (index: number) => Promise<unknown>, forSeconds: number) {
  const times: number[] = []
  const end = performance.now() + forSeconds * 1000
  let next = 0
  const worker = async () => {
    while (performance.now() < end) {
      const start = performance.now()
      await request(next++)
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  times.sort((a, b) => a - b)
  const percentile = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return {
    rate: times.length / forSeconds,
    p50: percentile(0.5),
    p95: percentile(0.95),
    p99: percentile(0.99),
  }
}

function fetchPath(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`))
      response.on('data', () => {}).on('end', resolve)
    }).on('error', reject)
  })
}

function startServer(url: string) {
  const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', entry], {
    env: { ...process.env, DATABASE_URL: url, API_PORT: String(port), LOG_LEVEL: 'error' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ready = (async () => {
    for (let attempt = 0; attempt < 600; attempt++) {
      if ((await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error('the API did not start')
  })()
  return { ready, stop: () => child.kill() }
}
