import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { writeConfig } from '@shardwalk/networks'
import { startReplay } from '@shardwalk/replay'
import { FIXTURE_CHAIN_FOLDER, preparedFolder, scratchDatabase } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { claimPort } from '../src/ports.ts'
import { makeDataDir } from './drill.ts'
import { PATIENCE_MS, waitUntil } from './processes.ts'
import { cleanUp, RunningStart } from './running-start.ts'
import { inSmallDisk, mayMount } from './small-disk.ts'

const [LAST, TRANSACTIONS] = isLong ? [100, 2893] : [20, 273]
/** Up to where the chain goes until the disk is full. */
const BEFORE = 4

const folders: string[] = []
afterAll(() => cleanUp(folders))

/** Fills the file system of the file. */
function fill(file: string): void {
  const piece = Buffer.alloc(1024 * 1024)
  const ballast = openSync(file, 'a')
  try {
    for (let size = piece.length; size > 0; )
      try {
        writeSync(ballast, piece, 0, size)
      } catch {
        size >>= 1
      }
  } finally {
    closeSync(ballast)
  }
}

const reports = ({ lines }: RunningStart): readonly string[] =>
  lines.filter((line) => line.includes('"message":"no space left on device"'))

test.skipIf(!mayMount)(
  'start waits for space, first for the file of its owner, says so, and goes on by itself with nothing lost',
  async () => {
    const apiPort = await claimPort('127.0.0.1', 0, 'API_PORT')
    // The chain goes on only when the disk is full, however slow the machine is.
    const replay = await startReplay({ recording: FIXTURE_CHAIN_FOLDER, startSeqno: BEFORE })
    onTestFinished(() => replay.close())
    const dataDir = await makeDataDir(folders)
    const network = await writeConfig('moving', await makeDataDir(folders), replay.globalConfig)
    const args = ['--network', network, '--from', 'genesis']
    const networks = join(dataDir, 'networks')
    // A file system of its own, without a page for the owner.
    const fillUp = `head -c 16k /dev/zero > ${networks}/ballast`
    const small = inSmallDisk(networks, '16k', `${fillUp} && exec "$@"`).slice(2)
    const setUp = `cp -RP ${await preparedFolder()}/. ${dataDir} && mkdir ${networks} && exec "$@"`
    const runner = [...inSmallDisk(dataDir, '512m', setUp), ...small]
    const run = new RunningStart({ dataDir, apiPort, args, runner })
    const ask = async (path: string) => {
      const url = `http://127.0.0.1:${apiPort}${path}`
      const reply = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
      return (await reply?.json().catch(() => undefined)) as
        | { readonly indexed?: { readonly last: number }; readonly transactions?: readonly unknown[] }
        | undefined
    }
    const options = { everyMs: 200, seen: () => run.lines.slice(-20).join('\n') }
    const isReported = (times: number) => () => {
      run.assertAlive()
      return reports(run).length >= times
    }
    await waitUntil('the full disk is reported', isReported(1), options)
    expect(run.pids.size).toBe(0)
    rmSync(`/proc/${run.pid}/root${networks}/ballast`)
    const isIndexing = async () => {
      run.assertAlive()
      return (await ask('/readyz'))?.indexed?.last === BEFORE
    }
    await waitUntil('it indexes', isIndexing, options)
    const ballast = `/proc/${run.pid}/root${dataDir}/ballast`
    fill(ballast)
    const filledAt = performance.now()
    replay.setHead(LAST)
    await waitUntil('the full disk is reported', isReported(2), options)
    expect((await ask('/readyz'))?.indexed?.last ?? 0).toBeLessThan(LAST)
    rmSync(ballast)
    await run.untilIndexed(LAST, PATIENCE_MS)
    const minutes = (performance.now() - filledAt) / 60_000
    expect(reports(run).length).toBeLessThanOrEqual(2 + Math.floor(minutes))
    const rows = (await ask(`/api/v3/transactions?limit=1000&offset=${TRANSACTIONS - 10}`))?.transactions
    expect(rows).toHaveLength(10)
    expect(await run.stop()).toBe(0)
  },
)

test.skipIf(!mayMount)('a network that cannot be written yet is, once there is space', async () => {
  const dataDir = await makeDataDir(folders)
  const networks = join(dataDir, 'networks')
  mkdirSync(networks)
  const apiPort = await claimPort('127.0.0.1', 0, 'API_PORT')
  // Two pages are left, for the owner and the name of the network.
  const fillUp = `head -c 8k /dev/zero > ${networks}/ballast && exec "$@"`
  const runner = inSmallDisk(networks, '16k', fillUp)
  const scratch = await scratchDatabase()
  const env = { DATABASE_URL: scratch.url }
  const run = new RunningStart({ dataDir, apiPort, args: ['--network', 'sample'], runner, env })
  const options = { everyMs: 200, seen: () => run.lines.slice(-20).join('\n') }
  const isReported = () => {
    run.assertAlive()
    return reports(run).length > 0
  }
  await waitUntil('the full disk is reported', isReported, options)
  expect(run.pids.has('ingest')).toBe(false)
  rmSync(`/proc/${run.pid}/root${networks}/ballast`)
  await waitUntil('ingest is started', () => run.pids.has('ingest'), options)
  expect(await run.stop()).toBe(0)
  await scratch.close()
})

test.skipIf(!mayMount)(
  'where not even a folder can be made, the error asks to make room and try again',
  async () => {
    const dataDir = await makeDataDir(folders)
    const apiPort = await claimPort('127.0.0.1', 0, 'API_PORT')
    const runner = inSmallDisk(dataDir, '16k,nr_inodes=1')
    const run = new RunningStart({ dataDir, apiPort, args: ['--network', 'sample'], runner })
    expect(await run.exited).toBe(75)
    expect(run.lines.join('\n')).toContain('Make room and repeat the command.')
  },
)
