import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import pg from 'pg'

/** A PostgreSQL server for scratch databases. */
export interface TestServer {
  readonly url: string
  /** Set if templates are kept: they belong to one run of the tests. */
  readonly run: string | undefined
  /** Ends this use; a server of this process's own is stopped. */
  release(): Promise<void>
}

/** Names of the environment variables that name the server and the run to test processes. */
const SERVER_URL = 'TEST_DATABASE_URL'
const RUN = 'TEST_RUN'

/**
 * One server and one set of templates for all processes that this one starts from now on. Returns a function
 * that removes them. Uses the server of TEST_DATABASE_URL if it is set.
 */
export async function shareTestServer(): Promise<() => Promise<void>> {
  const given = process.env[SERVER_URL]
  const run = randomBytes(4).toString('hex')
  const server = given ? undefined : await startServer()
  process.env[SERVER_URL] = given ?? server!.url
  process.env[RUN] = run
  return async () => {
    delete process.env[RUN]
    await rm(preparedFolderOf(run), { recursive: true, force: true })
    if (given) return dropTemplates(given, run)
    delete process.env[SERVER_URL]
    await server!.stop()
  }
}

/** The shared server, or one of this process alone, which is stopped with its last use. */
export async function acquireServer(): Promise<TestServer> {
  const given = process.env[SERVER_URL]
  if (given) return { url: given, run: process.env[RUN], release: async () => {} }
  users++
  running ??= startServer()
  const { url, stop } = await running
  const release = async () => {
    if (--users > 0) return
    running = undefined
    await stop()
  }
  return { url, run: undefined, release }
}

/** Where the data folder of a run is that others are copied from. */
export const preparedFolderOf = (run: string): string => join(tmpdir(), `shardwalk-prepared-${run}`)

interface OwnServer {
  readonly url: string
  stop(): Promise<void>
}

let users = 0
let running: Promise<OwnServer> | undefined

async function startServer(): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-test-'))
  // The server runs as another user if tests run as root.
  await chmod(folder, 0o755)
  const settings = {
    // Nothing needs to survive a crash of the machine.
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    wal_level: 'minimal',
    // At this level new tables and indexes are logged page by page at the end of their transaction.
    wal_compression: 'off',
    max_wal_senders: '0',
    shared_buffers: '128MB',
    // Tests analyse what has to be; databases that live for seconds are not worth it.
    autovacuum: 'off',
    // Of several test files at once.
    max_connections: '200',
  }
  const server = await startEmbeddedPostgres({ dataDir: folder, settings })
  await onDatabase(server.url, (client) => speedUpLogins(client, server.url))
  const stop = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { url: server.url, stop }
}

/** Both sides hash a password 4,096 times at every login; a run of the tests has thousands. */
async function speedUpLogins(client: pg.Client, url: string): Promise<void> {
  const { username, password } = new URL(url)
  await client.query('set scram_iterations = 1')
  await client.query(`alter role ${username} password '${password}'`)
}

async function dropTemplates(url: string, run: string): Promise<void> {
  await onDatabase(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where datname ~ ('^template_.*_' || $1)",
      [run],
    )
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`)
  })
}

/** One connection for as long as `use` takes. */
export async function onDatabase(url: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
