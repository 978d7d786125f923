import { spawn } from 'node:child_process'
import { chmod, mkdtemp } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Recording, RecordingSource, record } from '@shardwalk/sources'
import { endWithTests, FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { COMPILED_ROOT } from '@shardwalk/testkit/runs'
import { afterAll, expect, test } from 'vitest'
import { waitUntil, within } from './processes.ts'
import { cleanUp } from './running-start.ts'

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const folders: string[] = []
afterAll(() => cleanUp(folders))

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'shardwalk-demo-'))
  await chmod(made, 0o755)
  folders.push(made)
  return made
}

/** The first blocks of the sample, with the first messages in them. */
async function shortChain(): Promise<string> {
  const made = await folder()
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  await record({ source: new RecordingSource(recording), folder: made, from: 1, to: 45, proofs: 'all' })
  await recording.close()
  return made
}

test('messages are sent before their blocks, and after the last block all begins again', async () => {
  const apiPort = await freePort()
  const flags = ['--speed', '8', '--data-dir', await folder(), '--api-port', String(apiPort)]
  const demo = spawn(process.execPath, ['scripts/shardwalk.mjs', 'demo', await shortChain(), ...flags], {
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
  await waitUntil('it is in a block', () => happened().catch(() => false), seen)
  await waitUntil('it begins again', async () => lines.some((line) => /^round 2: 45 /.test(line)), seen)
  demo.kill('SIGINT')
  expect(await within('the end', 60_000, exited)).toBe(0)
})
