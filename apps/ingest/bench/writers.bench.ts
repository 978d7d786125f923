// How much faster do several ingest processes index history than one, over sources behind a round trip? Real
// processes share one database, with the queue in PostgreSQL and, if there is a redis-server, in Redis. All
// tables must end equal, also when processes are killed. Prints verdicts; the exit code is 1 if one is bad.
//   node --import tsx apps/ingest/bench/writers.bench.ts [round trip, ms, default 150] [servers, default 8]
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHECKED_TABLES, tableChecksums } from '@shardwalk/db'
import { parseGlobalConfig } from '@shardwalk/liteserver'
import {
  endWithTests,
  hasRedisServer,
  type ScratchDatabase,
  scratchDatabase,
  startRedis,
  waitFor,
} from '@shardwalk/testkit'
import type { NetworkMessage } from './network-process.ts'

const [roundTripMs = 150, servers = 8] = process.argv.slice(2).map(Number)
const LAST = 529
/** A run that takes longer has failed. Milliseconds. */
const DEADLINE_MS = 600_000
const KILL_EVERY_MS = 2_000
/** Speed of two and of four processes, as multiples of that of one. */
const TARGETS: Readonly<Record<number, number>> = { 2: 1.8, 4: 3.2 }
/** Examined contracts add addresses, which depends on when they are examined. */
const COMPARED = CHECKED_TABLES.filter((table) => table !== 'accounts')

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'shardwalk-writers-'))
const network = fork(path('./network-process.ts'), [LAST, 0, 400, roundTripMs, servers].map(String), {
  execArgv: ['--import', 'tsx'],
})
endWithTests(network)
const [ready] = (await once(network, 'message')) as [Extract<NetworkMessage, { type: 'ready' }>]
const config = join(folder, 'global.config.json')
writeFileSync(config, ready.configs[0]!)
const liteServers = ready.configs.flatMap((text, index) =>
  parseGlobalConfig(text).liteServers.map(
    ({ publicKey }) => `127.0.0.1:${ready.ports[index]}:${publicKey.toString('base64')}`,
  ),
)

let expected: string | undefined
try {
  await compare('PostgreSQL', {})
  if (hasRedisServer()) {
    const redis = await startRedis()
    await compare('Redis', { REDIS_URL: redis.url })
    await redis.close()
  }
} finally {
  network.kill()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()

async function compare(queue: string, env: Environment): Promise<void> {
  const one = await run(1, env)
  console.log(`queue in ${queue}, ${roundTripMs} ms: one process ${shown(one)}`)
  for (const [count, target] of Object.entries(TARGETS)) {
    const many = await run(Number(count), env)
    const factor = many / one
    verdict(`${count} processes ${shown(many)}, times that of one`, factor, factor >= target, `${target}`)
  }
  const killed = await run(4, env, KILL_EVERY_MS)
  console.log(`4 processes, one killed every ${KILL_EVERY_MS / 1000} s after progress: ${shown(killed)}`)
}

type Environment = Readonly<Record<string, string>>

/** Masterchain blocks per second from the first commit to the last one. */
async function run(processes: number, env: Environment, killEveryMs?: number): Promise<number> {
  const scratch = await scratchDatabase()
  const running = Array.from({ length: processes }, () => start(scratch, env))
  const progress = { blocks: 0 }
  let blocksAtKill = 0
  const killing =
    killEveryMs === undefined
      ? undefined
      : setInterval(() => {
          // Where starting takes longer than this, nobody would ever index anything.
          if (progress.blocks === blocksAtKill) return
          blocksAtKill = progress.blocks
          running.shift()!.kill('SIGKILL')
          running.push(start(scratch, env))
        }, killEveryMs)
  try {
    const first = await untilIndexed(scratch, 1, progress)
    const last = await untilIndexed(scratch, LAST, progress)
    await checkTables(scratch)
    return (LAST - first.blocks) / ((last.at - first.at) / 1_000)
  } finally {
    clearInterval(killing)
    for (const child of running) child.kill('SIGKILL')
    await Promise.all(running.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
    await scratch.close()
  }
}

function start(scratch: ScratchDatabase, env: Environment): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', path('../src/main.ts')], {
    env: {
      ...process.env,
      ...env,
      DATABASE_URL: scratch.url,
      NETWORK: config,
      LITESERVERS: liteServers.join(','),
      INDEX_FROM: 'genesis',
      CHAIN_ENDS: '1',
      DATA_DIR: folder,
      DECODE_THREADS: '1',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  endWithTests(child)
  return child
}

async function untilIndexed(
  { pool }: ScratchDatabase,
  wanted: number,
  progress: { blocks: number },
): Promise<{ readonly at: number; readonly blocks: number }> {
  const indexed = async () => {
    const { rows } = await pool.query<{ blocks: number }>(
      'select coalesce(sum(to_seqno - from_seqno + 1), 0)::int as blocks from indexed_ranges',
    )
    progress.blocks = rows[0]!.blocks
    return progress.blocks >= wanted && { at: performance.now(), blocks: progress.blocks }
  }
  return waitFor(`${wanted} blocks`, indexed, { timeoutMs: DEADLINE_MS })
}

async function checkTables({ db }: ScratchDatabase): Promise<void> {
  const found = [...(await tableChecksums(db, COMPARED))]
  const text = JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  expected ??= text
  if (text !== expected) verdict('tables', 0, false, 'equal')
}

function shown(blocks: number): string {
  return `${blocks.toFixed(1)} masterchain blocks/s`
}

function verdict(what: string, value: number, isGood: boolean, target: string): void {
  if (!isGood) process.exitCode = 1
  console.log(`${isGood ? 'good' : 'BAD '}  ${what}: ${value.toFixed(2)} (target: ${target})`)
}
