import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createLogger, EXIT } from '@shardwalk/observability'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, test, vi } from 'vitest'
import { Child } from '../src/child.ts'
import { nodeArguments } from '../src/entry.ts'
import { runForeground } from '../src/process.ts'

/** Entries are named relative to the folder of the program, which is compiled in tests. */
const PROGRAM = nodeArguments('').at(-1)!
const ENTRY = relative(PROGRAM, fileURLToPath(new URL('./blocked-process.mjs', import.meta.url)))
/** Longer than starting takes; continuous integration may be busy. Milliseconds. */
const LIMIT_MS = isLong ? 15_000 : 10_000

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-silence-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test.concurrent('a process whose event loop is blocked is killed and started again', async ({ expect }) => {
  const lines: string[] = []
  let logged = ''
  const output = new PassThrough().on('data', (piece: Buffer) => {
    logged += piece
  })
  const child = new Child(
    { name: 'blocked', entry: ENTRY, env: { MARKER: join(folder, 'child') } },
    {
      log: createLogger({ level: 'info', format: 'json', output }),
      onLine: (line) => lines.push(line),
      silenceMs: LIMIT_MS,
    },
  )
  child.start()
  try {
    await expect.poll(() => lines, { timeout: 150_000, interval: 200 }).toEqual(['blocked', 'runs'])
    expect(logged).toContain('process is blocked and was killed')
  } finally {
    await child.stop(5_000)
  }
})

test('a command whose process is killed says so, and ends with the code for another attempt', async ({
  expect,
}) => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const entry = relative(PROGRAM, join(folder, 'killed.mjs'))
  try {
    for (const [signal, code] of [
      ['SIGKILL', EXIT.tryAgain],
      ['SIGABRT', EXIT.tryAgain],
      ['SIGTERM', EXIT.done],
    ] as const) {
      await writeFile(join(folder, 'killed.mjs'), `process.kill(process.pid, '${signal}')`)
      expect([signal, await runForeground(entry, [], {})]).toEqual([signal, code])
    }
    expect(written.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(/^the process was ended by SIGKILL, as the system does when memory/),
      'the process was ended by SIGABRT\n',
    ])
  } finally {
    written.mockRestore()
  }
})

test.concurrent('a command whose process is blocked ends with the code for another attempt', async ({
  expect,
}) => {
  const env = { MARKER: join(folder, 'command') }
  expect(await runForeground(ENTRY, [], env, { silenceMs: LIMIT_MS })).toBe(EXIT.tryAgain)
})
