import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { CLASSIFIED_TABLES, classifyWaiting, countUnclassified, tableChecksums } from '@shardwalk/db'
import { type ScratchDatabase, sampleChainDatabase, waitFor } from '@shardwalk/testkit'
import { freePort } from '@shardwalk/testkit/free-port'
import { COMPILED_ROOT } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'

const WORKER = join(COMPILED_ROOT, 'dist/apps/actions/src/worker.js')
let scratch: ScratchDatabase

beforeAll(async () => {
  scratch = await sampleChainDatabase()
  // No process examines contracts here, so do not wait for it.
  await scratch.pool.query('truncate refresh_queue')
})
afterAll(() => scratch.close())

function startWorker(more: Readonly<Record<string, string>> = {}): ChildProcess {
  const env = { ...process.env, DATABASE_URL: scratch.url, LOG_LEVEL: 'warn', ...more }
  return spawn(process.execPath, [WORKER], { env, stdio: 'inherit' })
}

const ended = (worker: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => worker.once('exit', (code) => resolve(code)))

async function checksums(): Promise<string[]> {
  const sums = await tableChecksums(scratch.db, CLASSIFIED_TABLES)
  return [...sums].map(([table, { rows, checksum }]) => `${table} ${rows} ${checksum}`)
}

test('workers that are killed produce the same rows as an undisturbed one', async () => {
  const all = await countUnclassified(scratch.pool)
  const workers = [startWorker(), startWorker()]
  await waitFor('the first traces', async () => (await countUnclassified(scratch.pool)) < all)
  for (const worker of workers) worker.kill('SIGKILL')
  await Promise.all(workers.map(ended))

  const port = await freePort()
  const last = startWorker({ ACTIONS_PORT: String(port) })
  await waitFor('all traces', async () => (await countUnclassified(scratch.pool)) === 0, {
    timeoutMs: 240_000,
    everyMs: 200,
  })
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  expect(await status('/metrics')).toMatch(/^shardwalk_unclassified_traces\{reason="contracts"\} 0$/m)
  expect(await status('/metrics')).toMatch(/^shardwalk_classified_traces_total [1-9]\d*$/m)
  expect(JSON.parse(await status('/readyz'))).toMatchObject({ ok: true, waiting: 0, failed: 0 })
  last.kill('SIGTERM')
  expect(await ended(last)).toBe(0)
  const after = await checksums()

  await scratch.pool.query(`truncate ${CLASSIFIED_TABLES.join(', ')}`)
  await scratch.pool.query(
    'insert into unclassified_traces select end_lt, trace_id from traces where state = 0 and edges > 0',
  )
  while ((await classifyWaiting(scratch.pool, { limit: 100_000 })).traces > 0);
  expect(await checksums()).toEqual(after)
})
