// Measures exports to Parquet: rows per second and greatest resident memory of each dataset, each in a
// process of its own, and p99 of an API beside them against p99 without.
//   node --import tsx apps/api/bench/export.bench.ts [copies of 7,637 transactions, default 20]
//   DATABASE_URL=... node --import tsx apps/api/bench/export.bench.ts
// `ONLY=transactions` measures one dataset; `PROFILE=1` leaves a CPU profile of it in the working folder.
// `ONLY=http` measures the API beside an export over HTTP by the same process. `EXPORT_PRIORITY=normal`: the
// same without giving way. Targets: 40,000 rows/s, 300 MB, p99 beside an export at most 1.5 times that alone.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDb, DATASETS, migrate } from '@shardwalk/db'
import { startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import { classifyWithoutFacts } from '@shardwalk/testkit/refresh-chain'
import { createApi } from '../src/create-api.ts'
import { listen } from '../src/server.ts'
import { loadSampleChain } from '../test/sample-chain.ts'
import { replicate } from './replicate.ts'
import { PATHS, readFacts } from './scale-paths.ts'

const copies = Number(process.argv[2] ?? 20)
const only = process.env['ONLY']
const folder = mkdtempSync(join(tmpdir(), 'shardwalk-export-bench-'))
const given = process.env['DATABASE_URL']
const server = given
  ? undefined
  : await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings: { fsync: 'off' } })
const url = given ?? server!.url
/** As installed: compiled. */
const compiler = String(new URL('../../../scripts/lib/compiled-sources.mjs', import.meta.url))
const program: string = await (await import(compiler)).compiledCopy()
try {
  if (server) await fill()
  await measure()
} finally {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()

async function fill(): Promise<void> {
  const handle = createDb({ url, statementTimeoutMs: 0 })
  await migrate(handle.db)
  await loadSampleChain(handle)
  await classifyWithoutFacts(handle)
  await replicate(url, copies - 1, () => {})
  await handle.close()
}

async function measure(): Promise<void> {
  const open = (plans: 'kept' | 'by value') =>
    configurePlans(createDb({ url, max: 5, statementTimeoutMs: 10_000 }).pool, plans)
  const pool = open('by value')
  const facts = await readFacts(pool)
  const exportPriority = process.env['EXPORT_PRIORITY'] === 'normal' ? 'normal' : 'low'
  const options = { db: keepPlans(pool, open('kept')), exportMaxRows: 1_000_000_000, exportPriority } as const
  const api = await listen(createApi(options), { host: '127.0.0.1', port: 0 })
  const paths = Object.values(PATHS)
  let nth = 0
  /** Milliseconds of requests until `until` resolves, one at a time. */
  const requests = async (until: Promise<unknown>): Promise<number[]> => {
    const times: number[] = []
    let isOver = false
    void until.finally(() => {
      isOver = true
    })
    while (!isOver) {
      const start = performance.now()
      await (await fetch(`${api.url}/api/v3/${paths[nth++ % paths.length]!(facts, nth)}`)).arrayBuffer()
      times.push(performance.now() - start)
    }
    return times.sort((a, b) => a - b)
  }
  const p99 = (times: readonly number[]) => times[Math.floor(times.length * 0.99)] ?? Number.NaN
  await requests(new Promise((resolve) => setTimeout(resolve, 5_000)))
  const alone = p99(await requests(new Promise((resolve) => setTimeout(resolve, 10_000))))
  console.log(`API alone: p99 ${alone.toFixed(1)} ms`)
  const beside = (times: readonly number[]) =>
    `API p99 ${p99(times).toFixed(1)} ms, ${(p99(times) / alone).toFixed(2)} times that alone ` +
    `(${times.length} requests)`
  if (!only || only === 'http') {
    const start = performance.now()
    let rows = 0
    const times = await requests(
      fetch(`${api.url}/api/v3/export/transactions`).then(async (reply) => {
        for await (const chunk of reply.body!) for (const byte of chunk) if (byte === 10) rows++
      }),
    )
    const rate = Math.round((rows * 1000) / (performance.now() - start))
    console.log(`transactions over HTTP, beside requests: ${rows} rows, ${rate} rows/s; ${beside(times)}`)
  }
  for (const { name } of DATASETS) {
    if (only && name !== only) continue
    const quiet = await exportOne(name)
    const times = await requests(exportOne(name))
    const { rows, seconds, megabytes } = quiet
    const rate = Math.round(rows / seconds)
    console.log(
      `${name.padEnd(20)} ${String(rows).padStart(9)} rows  ${String(rate).padStart(7)} rows/s  ` +
        `${megabytes} MB  ${beside(times)}`,
    )
  }
  await api.close(100)
}

interface Measured {
  readonly rows: number
  /** Of the export itself, as it reports its rate. */
  readonly seconds: number
  /** Greatest resident set. */
  readonly megabytes: number
}

async function exportOne(dataset: string): Promise<Measured> {
  const out = join(folder, dataset)
  const profile = process.env['PROFILE'] ? ['--cpu-prof'] : []
  const command = ['scripts/shardwalk.mjs', 'export', dataset, '--out', out]
  const child = spawn(process.execPath, [...profile, ...command, '--force', '--allow-gaps'], {
    cwd: program,
    env: { ...process.env, DATABASE_URL: url, NETWORK: 'sample', DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let most = 0
  child.stdout.on('data', (text) => {
    output += String(text)
  })
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(child.pid!))
  }, 50)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  clearInterval(timer)
  if (code !== 0) throw new Error(`${dataset}: exit code ${code}\n${output}`)
  let [rows, seconds] = [0, 0]
  for (const [, some, rate] of output.matchAll(/: (\d+) rows, (\d+) rows\/s/g)) {
    rows += Number(some)
    seconds += Number(some) / Number(rate)
  }
  return { rows, seconds, megabytes: Math.round(most / 1e6) }
}

/** 0 when the process has ended. */
function residentBytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
