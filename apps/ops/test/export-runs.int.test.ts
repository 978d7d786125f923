import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { EncodedBatch } from '@shardwalk/db'
import { endWithTests, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { commitGroups, inGroups, recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { COMPILED_ROOT, isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PATIENCE_MS, waitUntil, within } from './processes.ts'
import { runCommand } from './run-command.ts'
import { inSmallDisk, mayMount } from './small-disk.ts'

/** Masterchain blocks of a partition, and one of the first partition whose transactions are lost. */
const [CHUNK, LOST] = isLong ? [50, 18] : [10, 8]

/** Exports as operators run them: those that are killed or fill a disk are processes of their own. */

let scratch: ScratchDatabase
let folder: string
let batches: EncodedBatch[]
beforeAll(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-export-runs-'))
  batches = await recordedBatches({ to: 5.2 * CHUNK })
})
afterAll(async () => {
  await scratch?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const commit = (from: number, to: number, database = scratch) =>
  commitGroups(database, inGroups(batches.slice(from - 1, to), 40))

interface Ended {
  readonly code: number | null
  readonly text: string
}

interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  seen(): string
}

const place = () => ({ NETWORK: 'sample', DATA_DIR: join(folder, 'data'), DATABASE_URL: scratch.url })

/** In this process, which must stay as fast as it is. */
async function runHere(args: readonly string[]): Promise<Ended> {
  for (const [name, value] of Object.entries({ ...place(), EXPORT_PRIORITY: 'normal' }))
    vi.stubEnv(name, value)
  try {
    return await runCommand(['export', ...args])
  } finally {
    vi.unstubAllEnvs()
  }
}

/** `runner`: what runs the command; see `inSmallDisk`. */
function run(
  args: readonly string[],
  runner: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Running {
  const [program = '', ...rest] = [...runner, process.execPath, 'scripts/shardwalk.mjs', 'export', ...args]
  const child = spawn(program, rest, {
    cwd: COMPILED_ROOT,
    env: { ...process.env, ...place(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithTests(child)
  let text = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (some) => {
      text += String(some)
    })
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, text })))
  return { child, ended, seen: () => text }
}

/** An address of a server that can be closed and opened again. */
class Way {
  private readonly sockets = new Set<Socket>()
  private readonly server: Server
  private port = 0

  /** `until`: connections end with the first request that has this text. */
  constructor(
    private readonly target: string,
    until?: string,
  ) {
    const { hostname: host, port } = new URL(target)
    this.server = createServer((near) => {
      const far = connect(Number(port), host)
      for (const socket of [near, far]) this.sockets.add(socket.on('error', () => {}))
      if (until) near.on('data', (bytes) => bytes.includes(until) && near.destroy())
      near.pipe(far).pipe(near)
    })
  }

  get url(): string {
    const url = new URL(this.target)
    url.port = String(this.port)
    return url.href
  }

  async open(): Promise<void> {
    await once(this.server.listen(this.port, '127.0.0.1'), 'listening')
    this.port = (this.server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    this.sockets.clear()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

const DATASETS = ['blocks', 'transactions']
const asked = (out: string, ...more: string[]) => [
  ...[DATASETS.join(), '--out', join(folder, out), '--partition', 'mc-seqno', '--chunk', `${CHUNK}`],
  ...more,
]
/** The nth. */
const partition = (n: number) =>
  `mc_seqno=${[n * CHUNK, (n + 1) * CHUNK - 1].map((seqno) => `${seqno}`.padStart(10, '0')).join('-')}`

async function contentOf(out: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const root = join(folder, out)
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath ?? entry.path, entry.name)
      files[relative(root, path)] = (await readFile(path)).toString('base64')
    }
  return files
}

test('--follow writes each partition once, also over a kill: no gap, nothing twice', async () => {
  await commit(1, 2.4 * CHUNK)
  const isWritten = (n: number) =>
    DATASETS.every((name) =>
      existsSync(join(folder, 'followed/sample', name, partition(n), '_manifest.json')),
    )
  const until = (n: number, { seen }: Running) => waitUntil(`partition ${n}`, () => isWritten(n), { seen })
  const first = run(asked('followed', '--follow'))
  await until(1, first)
  expect(isWritten(2)).toBe(false)
  await commit(2.4 * CHUNK + 1, 3.2 * CHUNK)
  await until(2, first)
  first.child.kill('SIGKILL')
  await first.ended

  await commit(3.2 * CHUNK + 1, 5.2 * CHUNK)
  const second = run(asked('followed', '--follow'))
  await until(4, second)
  second.child.kill('SIGTERM')
  const { code, text } = await within('end', PATIENCE_MS, second.ended)
  expect(code).toBe(0)
  for (const name of DATASETS)
    expect(text).toMatch(new RegExp(`${name}/${partition(1)}: .* is there already`))

  expect((await runHere(asked('at-once', '--to', `${5 * CHUNK - 1}`))).code).toBe(0)
  expect(await contentOf('followed')).toEqual(await contentOf('at-once'))
  const seqnos: number[] = []
  for (const n of [0, 1, 2, 3, 4]) {
    const manifest = JSON.parse(
      await readFile(join(folder, 'followed/sample/blocks', partition(n), '_manifest.json'), 'utf8'),
    )
    for (let seqno = manifest.mc_seqno_from; seqno <= manifest.mc_seqno_to; seqno++) seqnos.push(seqno)
  }
  expect(seqnos).toEqual(Array.from({ length: 5 * CHUNK - 1 }, (_, at) => at + 1))
})

test('--follow goes on over blocks that are missing for now, and when the database was away', async () => {
  const database = await scratchDatabase()
  const way = new Way(database.url)
  await way.open()
  // The head is ahead of what is indexed.
  await commit(1, 2.4 * CHUNK, database)
  await commit(2.6 * CHUNK, 3.2 * CHUNK, database)
  const isWritten = (n: number) =>
    existsSync(join(folder, 'interrupted/sample/blocks', partition(n), '_manifest.json'))
  const args = asked('interrupted', '--follow', '--from', '1')
  const running = run(['blocks', ...args.slice(1)], [], { DATABASE_URL: way.url })
  const until = (n: number) => waitUntil(`partition ${n}`, () => isWritten(n), { seen: running.seen })
  try {
    await until(1)
    await way.close()
    const isWaiting = () => running.seen().includes('waiting for the database')
    await waitUntil('it waits', isWaiting, { seen: running.seen })
    await commit(2.4 * CHUNK + 1, 4.2 * CHUNK, database)
    expect(isWritten(2)).toBe(false)
    await way.open()
    await until(3)
    running.child.kill('SIGTERM')
    const { code, text } = await within('end', PATIENCE_MS, running.ended)
    expect(code).toBe(0)
    // Nothing is said while nothing happens.
    expect(text.trim().split('\n')).toHaveLength(6)
  } finally {
    running.child.kill('SIGKILL')
    await way.close()
    await database.close()
  }
})

test('a command whose database is restarted ends with 75, not as if something had to be fixed', async () => {
  const way = new Way(scratch.url, 'indexed_ranges')
  await way.open()
  const { code, text } = await run(asked('broken-off'), [], { DATABASE_URL: way.url }).ended
  await way.close()
  expect(text).toMatch(/The database went away; run the command again when it is back: Connection terminated/)
  expect(code).toBe(75)
})

test('verify --counts finds rows that the database has and the files have not', async () => {
  const verify = () => runHere(['verify', join(folder, 'at-once'), '--counts'])
  expect(await verify()).toMatchObject({ code: 0, text: expect.stringContaining('10 partitions, all files') })
  await scratch.pool.query('delete from transactions where mc_block_seqno = $1', [LOST])
  const { code, text } = await verify()
  expect(code).toBe(1)
  expect(text).toMatch(new RegExp(`transactions/${partition(0)}: \\d+ rows, the database has \\d+\n`))
  expect(text).not.toContain(`blocks/${partition(0)}: `)
})

test.runIf(mayMount)('a full disk ends an export with 75 and what to do, and leaves no file', async () => {
  const out = join(folder, 'small')
  await mkdir(out)
  // The mount is seen in the namespace only.
  const look = `"$@"; echo "code $?"; find ${out} -type f`
  const args = ['transactions', '--out', out, '--columns', 'hash,account,prev_trans_hash']
  const { text } = await run(args, inSmallDisk(out, isLong ? '300k' : '100k', look)).ended
  expect(text).toContain('the disk is full after')
  expect(text).toContain('run the command again')
  expect(text).toContain('code 75')
  expect(text).not.toMatch(/part-|_manifest/)
})
