// Runs everything for long and watches what it needs. Started by `npm run soak`.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createDb, type DatabaseHandle } from '@shardwalk/db'
import { findEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { randomFrom } from '@shardwalk/testkit'
import { freePort } from '@shardwalk/testkit/free-port'
import { COMPILED_ROOT } from '@shardwalk/testkit/runs'
import { makeDataDir, untilNothingWaits } from '../../apps/ops/test/drill.ts'
import { cleanUp, RunningStart } from '../../apps/ops/test/running-start.ts'
import { recordedRows } from './base-rows.ts'
import { readProgress } from './database-state.ts'
import { COPIED_TABLES, Growth } from './growth.ts'
import { forget, someRange } from './history.ts'
import { judge } from './judge.ts'
import { Kills } from './kills.ts'
import { Load } from './load.ts'
import { Network } from './network.ts'
import { Observer } from './observer.ts'
import { readOptions } from './options.ts'
import { ServiceLog } from './service-log.ts'
import { formatRow, header, LEGEND } from './table.ts'

/** In the rest processes live long enough for their memory to be judged. */
const SHARE_WITH_KILLS = 0.6
const COPY_EVERY_MS = 40_000
const FORGET_EVERY_MS = 20_000
const START_MS = 300_000

const options = readOptions(process.argv.slice(2))
const { minutes, seed, head } = options
console.log(`${minutes} minutes, --seed ${seed}: head from ${head.first} to ${head.last}`)
const folders: string[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => cleanUp(folders).finally(() => process.exit(1)))
// First, because the lite server of this process would not answer meanwhile.
const rows = await recordedRows(COPIED_TABLES)
const dataDir = await makeDataDir(folders)
const apiPort = await freePort()
const network = await Network.start(head, dataDir)
const threads = ['--decode-threads', '1', '--tvm-threads', '1', '--backfill-concurrency', '1']
const run = new RunningStart({
  dataDir,
  apiPort,
  args: ['--network', network.config, '--from', 'genesis', ...threads],
  // At the end the head stands still.
  env: { CHAIN_ENDS: '1' },
})
const logPath = join(dataDir, 'soak.log')
const [loaded, killed, seen] = [new AbortController(), new AbortController(), new AbortController()]
const log = new ServiceLog(run.lines, logPath)
const logging = log.until(seen.signal)
await run.untilIndexed(head.first, START_MS)
const database = await openDatabase()
const { pool } = database
await pool.query('create schema base; create extension pgstattuple schema base')
const growth = await Growth.open(pool, rows)
await growth.add()
console.log(
  `${growth.transactions} transactions in a copy of the chain; one every ${COPY_EVERY_MS / 1_000} s`,
)
console.log(`${LEGEND}\n\n${header()}`)

const random = randomFrom(seed)
const postgresPid = async () => (await findEmbeddedPostgres(dataDir))?.pid
const load = new Load(`http://127.0.0.1:${apiPort}`, pool)
const kills = new Kills({ run, dataDir, pool, network, random })
const observer = new Observer({ run, pool, network, load, kills, postgresPid }, (row) =>
  console.log(formatRow(row, observer.rows.length - 1)),
)
const failures = new Map<string, number>()
await load.open()
network.move()
const observing = observer.until(seen.signal)
const working = Promise.all([
  load.until(loaded.signal),
  kills.until(killed.signal),
  every(COPY_EVERY_MS, () => growth.add()),
  every(FORGET_EVERY_MS, forgetSome),
])
const ms = minutes * 60_000
await delay(ms * SHARE_WITH_KILLS)
killed.abort()
await delay(ms * (1 - SHARE_WITH_KILLS))
loaded.abort()
await working
run.assertAlive()
await run.untilIndexed(head.last, START_MS)
await untilNothingWaits(dataDir)
seen.abort()
await observing
const { indexed } = await readProgress(pool)
const isVerified = await verify()
const stopped = await run.stop()
await logging

console.log(`\nkilled: ${JSON.stringify(Object.fromEntries(kills.counts))}; exit code ${stopped}`)
console.log(`${growth.transactions} transactions added; ${load.events} events streamed`)
console.log(`${load.omitted} requests left out`)
console.log(`slowest requests, medians: ${load.slowest(6).join('; ')}`)
for (const [message, count] of [...failures, ...log.errors]) console.log(`${count} times: ${message}`)
const verdicts = judge({
  rows: observer.rows,
  memories: observer.memories,
  isVerified,
  missing: head.last - indexed,
  reported: log.reported,
})
const isMet = verdicts.print()
await database.close()
await network.close()
if (isMet && !options.isKept) await cleanUp(folders)
else console.log(`\ndatabase and log: ${dataDir}`)
process.exit(isMet ? 0 : 1)

/** Until the load ends. What PostgreSQL was killed during is done the next time. */
async function every(everyMs: number, work: () => Promise<unknown>): Promise<void> {
  while (await delay(everyMs, true, { signal: loaded.signal }).catch(() => false))
    await work().catch((error: Error) => {
      failures.set(error.message, (failures.get(error.message) ?? 0) + 1)
    })
}

async function forgetSome(): Promise<void> {
  const range = someRange((await readProgress(pool)).newest, random)
  if (range) await forget(database, range)
}

async function openDatabase(): Promise<DatabaseHandle> {
  const server = await findEmbeddedPostgres(dataDir)
  if (!server) throw new Error('PostgreSQL is not running')
  const open = (url: string) =>
    createDb({ url, max: 6, applicationName: 'soak', statementTimeoutMs: 120_000, onIdleError: () => {} })
  const first = open(server.url)
  const { rows } = await first.pool
    .query<{ datname: string }>(`select datname from pg_database where datname like 'shardwalk\\_%'`)
    .finally(() => first.close())
  const url = new URL(server.url)
  url.pathname = `/${rows[0]!.datname}`
  return open(url.href)
}

/** With the command for it: every block of the chain again, compared with the tables. */
function verify(): Promise<boolean> {
  const range = ['1', String(head.last)]
  const where = ['--network', network.config, '--data-dir', dataDir, '--log-format', 'json']
  const child = spawn(process.execPath, ['scripts/shardwalk.mjs', 'verify', ...range, ...where], {
    cwd: COMPILED_ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout?.on('data', (chunk: Buffer) => run.lines.push(...String(chunk).split('\n')))
  return new Promise((resolve) => child.once('exit', (code) => resolve(code === 0)))
}
