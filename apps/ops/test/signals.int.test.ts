import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deriveAccountId } from '@shardwalk/model'
import { startReplay } from '@shardwalk/replay'
import { endWithTests, FIXTURE_CHAIN_FOLDER, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { freePort } from '@shardwalk/testkit/free-port'
import { COMPILED_ROOT, isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENCE_MS, waitUntil, within } from './processes.ts'

const SOURCE_ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Guaranteed for every process type; tests allow more on busy machines. */
const PROMISED_MS = 10_000

/**
 * Process types as an operator runs them, each busy: a moving head, a server that never answers, half a
 * request.
 */
let scratch: ScratchDatabase
let folder = ''
let replay: Awaited<ReturnType<typeof startReplay>>
let silent: Server
let asked = 0

beforeAll(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-signals-'))
  replay = await startReplay({ recording: FIXTURE_CHAIN_FOLDER, speed: 2, startSeqno: 8 })
  await writeFile(join(folder, 'global.config.json'), replay.globalConfig)
  silent = createHttpServer(() => {
    asked++
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  await addJetton('ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPgpv/1.json')
})
afterAll(async () => {
  silent.closeAllConnections()
  silent.close()
  await replay.close()
  await scratch.close()
  await rm(folder, { recursive: true, force: true })
})

async function addJetton(uri: string): Promise<void> {
  const address = { workchain: 0, hash: Buffer.alloc(32, 7) }
  const id = deriveAccountId(address)
  await scratch.pool.query("insert into accounts (id, workchain, address, activity) values ($1, 0, $2, '')", [
    id,
    address.hash,
  ])
  await scratch.pool.query(
    'insert into jetton_masters (account_id, lt, mintable, total_supply, content, wallet_code_hash) ' +
      "values ($1, 1, true, 1, $2, '')",
    [id, { uri }],
  )
}

const port = (server: Server): number => (server.address() as AddressInfo).port

interface Running {
  readonly type: string
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
  readonly lines: string[]
}

/** Starts a process in its own process group, as a shell does. */
function run(root: string, type: string, env: Readonly<Record<string, string>>): Running {
  const child = spawn(process.execPath, ['scripts/shardwalk.mjs', type], {
    cwd: root,
    detached: true,
    env: {
      ...process.env,
      NETWORK: join(folder, 'global.config.json'),
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: scratch.url,
      INDEX_FROM: 'genesis',
      LOG_FORMAT: 'json',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithTests(child)
  const lines: string[] = []
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => lines.push(String(text)))
  return { type, child, lines, exited: new Promise((resolve) => child.once('exit', resolve)) }
}

async function connectionsOf(type: string): Promise<number> {
  const { rows } = await scratch.pool.query<{ n: bigint }>(
    `select count(*) as n from pg_stat_activity where application_name = $1 and datname = current_database()`,
    [`shardwalk ${type}`],
  )
  return Number(rows[0]?.n)
}

const isAlive = (group: number): boolean => {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

const TYPES = ['ingest', 'actions', 'api', 'metadata'] as const
type ProcessType = (typeof TYPES)[number]

/** What a process is doing when it is asked to end. */
interface Busy {
  readonly env?: Readonly<Record<string, string>>
  readonly what: string
  isTrue(): Promise<boolean> | boolean
}

interface Signal {
  readonly types: readonly ProcessType[]
  readonly root: string
  readonly send: (child: ChildProcess) => void
}

/**
 * A terminal sends Ctrl-C to the whole group; `kill` and service managers signal only the started process.
 */
const SIGNALS: Record<string, Signal> = {
  'SIGTERM to the command': {
    types: TYPES,
    root: COMPILED_ROOT,
    send: (child) => child.kill('SIGTERM'),
  },
  'SIGINT to its group, as Ctrl-C does': {
    types: isLong ? TYPES : ['actions', 'metadata'],
    // From sources, each process has one of the compiler beside it, which takes long to start.
    root: isLong ? SOURCE_ROOT : COMPILED_ROOT,
    send: (child) => process.kill(-child.pid!, 'SIGINT'),
  },
}

const listed = (types: readonly ProcessType[]): string =>
  new Intl.ListFormat('en-GB').format(types.map((type) => (type === 'api' ? 'API' : type)))

for (const [name, { types, root, send }] of Object.entries(SIGNALS))
  test(
    `${name}: ${listed(types)} exit within ten seconds whatever they are doing and leave nothing running`,
    async () => {
      asked = 0
      const apiPort = await freePort()
      await scratch.pool.query('update metadata_queue set due_at = now()')
      const busy = busyAt(apiPort, await lastIndexed())
      const all = types.map((type) => run(root, type, busy[type].env ?? {}))
      try {
        await untilBusy(types, { all, busy })
        // Half a request, and a connection that stays open.
        const client = connect(apiPort, '127.0.0.1').on('error', () => {})
        client.write('GET /api/v3/blocks HTTP/1.1\r\nHost: a\r\n')
        const start = performance.now()
        for (const { child } of all) send(child)
        for (const { type, exited, lines } of all) {
          const code = await within(`${type} ends after ${name}`, 4 * PROMISED_MS, exited)
          expect(code, `${type}: ${lines.slice(-10).join('')}`).toBe(0)
        }
        console.log(`${name}: all ended after ${Math.round(performance.now() - start)} ms`)
        client.destroy()
        // Helper processes of the loader notice a moment later that their parent is gone.
        for (const { type, child } of all)
          await waitUntil(`nothing of ${type} runs`, () => !isAlive(child.pid!))
        for (const { type } of all) expect(await connectionsOf(type)).toBe(0)
      } finally {
        for (const { child } of all) if (isAlive(child.pid!)) process.kill(-child.pid!, 'SIGKILL')
      }
    },
    3 * PATIENCE_MS,
  )

async function lastIndexed(): Promise<number> {
  const { rows } = await scratch.pool.query('select max(to_seqno) as last from indexed_ranges')
  return rows[0].last ?? 0
}

/** By what a process is seen to be in the middle of its work. `last`: indexed before it. */
const busyAt = (apiPort: number, last: number): Readonly<Record<ProcessType, Busy>> => ({
  ingest: { what: 'ingest writes', isTrue: async () => (await lastIndexed()) > last },
  actions: { what: 'actions works', isTrue: async () => (await connectionsOf('actions')) > 0 },
  api: {
    env: { API_PORT: String(apiPort) },
    what: 'the API answers',
    isTrue: () =>
      fetch(`http://127.0.0.1:${apiPort}/healthz`).then(
        (reply) => reply.ok,
        () => false,
      ),
  },
  metadata: {
    env: {
      METADATA_FETCH: 'on',
      METADATA_IPFS_GATEWAYS: `http://127.0.0.1:${port(silent)}/ipfs/`,
    },
    what: 'metadata waits for a document',
    isTrue: () => asked > 0,
  },
})

async function untilBusy(
  types: readonly ProcessType[],
  { all, busy }: { readonly all: readonly Running[]; readonly busy: Readonly<Record<ProcessType, Busy>> },
): Promise<void> {
  const seen = () => all.map(({ type, lines }) => `${type}: ${lines.slice(-5).join('')}`).join('\n')
  for (const type of types) {
    const isTrueYet = () => {
      const ended = all.find(({ child }) => child.exitCode !== null)
      if (ended) throw new Error(`${ended.type} ended by itself\n${seen()}`)
      return busy[type].isTrue()
    }
    await waitUntil(busy[type].what, isTrueYet, { everyMs: 200, seen })
  }
}

/** Of Kysely, held while it migrates. Source: kysely, PostgresAdapter. */
const MIGRATION_LOCK = '3853314791062309107'

test('`start` obeys a signal while it waits for a migration', async () => {
  const empty = await scratchDatabase({ migrated: false })
  const other = await empty.pool.connect()
  await other.query(`select pg_advisory_lock(${MIGRATION_LOCK})`)
  const place = { DATA_DIR: join(folder, 'start'), API_PORT: String(await freePort()) }
  const start = run(COMPILED_ROOT, 'start', { NETWORK: 'sample', DATABASE_URL: empty.url, ...place })
  try {
    const isWaiting = async () => {
      if (start.child.exitCode !== null) throw new Error(`it ended by itself\n${start.lines.join('')}`)
      const { rowCount } = await empty.pool.query(
        `select from pg_stat_activity where datname = current_database()
         and wait_event_type = 'Lock' and wait_event = 'advisory'`,
      )
      return rowCount === 1
    }
    await waitUntil('it waits for the migration', isWaiting, { seen: () => start.lines.join('') })
    start.child.kill('SIGTERM')
    expect(await within('the end', 4 * PROMISED_MS, start.exited), start.lines.join('')).toBe(0)
  } finally {
    if (isAlive(start.child.pid!)) process.kill(-start.child.pid!, 'SIGKILL')
    await other.query('select pg_advisory_unlock_all()')
    other.release()
    await empty.close()
  }
})
