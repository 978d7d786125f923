import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimPort } from '../src/ports.ts'
import { makePreparedDataDir } from './drill.ts'
import { waitUntil } from './processes.ts'
import { cleanUp, RunningStart } from './running-start.ts'

/** Five seconds are guaranteed; the rest is for busy machines. */
const END_MS = 15_000
const folders: string[] = []
let dataDir: string
beforeAll(async () => {
  dataDir = await makePreparedDataDir(folders)
})
afterAll(() => cleanUp(folders))

/** Processes whose command line or working folder is in the data folder, or that are among `pids`. */
function running(pids: readonly number[]): readonly string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => {
    const [pid, state = ''] = line.trim().split(/\s+/)
    return !state.startsWith('Z') && (pids.includes(Number(pid)) || line.includes(`${dataDir}/postgres`))
  })
}

async function startSample(): Promise<RunningStart> {
  const apiPort = await claimPort('127.0.0.1', 0, 'API_PORT')
  const run = new RunningStart({ dataDir, apiPort, args: ['--network', 'sample', '--speed', '2'] })
  await waitUntil(
    'it indexes',
    async () => {
      run.assertAlive()
      const url = `http://127.0.0.1:${apiPort}/readyz`
      return (await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined))?.ok === true
    },
    { timeoutMs: 300_000, everyMs: 300, seen: () => run.lines.slice(-20).join('\n') },
  )
  return run
}

test('five seconds after start is killed none of its processes runs, and a new start works', async () => {
  const first = await startSample()
  const postgres = (await findEmbeddedPostgres(dataDir))?.pid
  const pids = [...first.pids.values(), postgres ?? 0]
  expect(pids.length).toBeGreaterThanOrEqual(5)
  // One child is frozen: it cannot end by itself.
  process.kill(first.pids.get('actions')!, 'SIGSTOP')
  await first.killCommand()
  const second = await startSample()
  if (isLong) expect(await second.stop()).toBe(0)

  const last = isLong ? await startSample() : second
  const all = [...last.pids.values(), (await findEmbeddedPostgres(dataDir))?.pid ?? 0]
  process.kill(last.pids.get('actions')!, 'SIGSTOP')
  await last.killCommand()
  await waitUntil('nothing runs', () => running(all).length === 0, {
    timeoutMs: END_MS,
    seen: () => running(all).join('\n'),
  })
  const log = await readFile(join(dataDir, 'postgres.log'), 'utf8').catch(() => '')
  expect(log).not.toContain('PANIC')
}, 900_000)
