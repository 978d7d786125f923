import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { endWithTests } from '@shardwalk/testkit'
import { freePort } from '@shardwalk/testkit/free-port'
import { COMPILED_ROOT, isLong } from '@shardwalk/testkit/runs'
import { afterAll, expect, test } from 'vitest'
import { beginningOfSample, makeDataDir } from './drill.ts'
import { waitUntil, within } from './processes.ts'
import { cleanUp } from './running-start.ts'

/** The first messages are in blocks 7 and 8. */
const LAST = isLong ? 24 : 8

const folders: string[] = []
afterAll(() => cleanUp(folders))

test('messages are sent before their blocks, and after the last block all begins again', async () => {
  const apiPort = await freePort()
  const [chain, dataDir] = [await beginningOfSample(folders, LAST), await makeDataDir(folders)]
  // What messages will do is tried beforehand in tests of that alone.
  const pending = isLong ? [] : ['--pending', 'off']
  const flags = ['--speed', '8', '--data-dir', dataDir, '--api-port', String(apiPort), ...pending]
  const demo = spawn(process.execPath, ['scripts/shardwalk.mjs', 'demo', chain, ...flags], {
    cwd: COMPILED_ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithTests(demo)
  const exited = new Promise<number | null>((resolve) => demo.once('exit', resolve))
  const lines: string[] = []
  for (const stream of [demo.stdout, demo.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  const seen = { timeoutMs: 240_000, seen: () => lines.join('\n') }

  const sent = () => lines.flatMap((line) => /^sent (\S+) before block/.exec(line)?.[1] ?? [])
  await waitUntil('a message was sent', async () => sent().length > 0, seen)
  const happened = async () => {
    const query = `msg_hash=${encodeURIComponent(sent()[0]!)}&direction=in`
    const reply = await fetch(`http://127.0.0.1:${apiPort}/api/v3/transactionsByMessage?${query}`)
    const { transactions } = (await reply.json()) as { transactions?: readonly unknown[] }
    return transactions?.length === 1
  }
  await waitUntil('it is in a block', () => happened().catch(() => false), { ...seen, everyMs: 400 })
  const beginsAgain = async () => lines.some((line) => line.startsWith(`round 2: ${LAST} `))
  await waitUntil('it begins again', beginsAgain, seen)
  demo.kill('SIGINT')
  expect(await within('the end', 60_000, exited)).toBe(0)
})
