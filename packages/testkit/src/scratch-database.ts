import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDb, type DatabaseHandle, migrate } from '@shardwalk/db'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import pg from 'pg'

/** A separate database, on the server of this process or on that of TEST_DATABASE_URL. */
export interface ScratchDatabase extends DatabaseHandle {
  readonly url: string
  /** Drops the database; the last one also stops the server and removes its files. */
  close(): Promise<void>
}

export interface ScratchOptions {
  /** Whether to run all migrations. Default true. */
  readonly migrated?: boolean
  /** Maximum number of connections of the pool. Default 6. */
  readonly max?: number
}

/**
 * For one test file: `beforeAll(async () => { scratch = await scratchDatabase() })`, `afterAll(() =>
 * scratch.close())`.
 */
export async function scratchDatabase(options: ScratchOptions = {}): Promise<ScratchDatabase> {
  const server = await acquireServer()
  const name = `scratch_${randomBytes(6).toString('hex')}`
  await execute(
    server.url,
    `create database ${name} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`,
  )
  const url = withDatabase(server.url, name)
  const handle = createDb({ url, max: options.max ?? 6, applicationName: 'test' })
  if (options.migrated ?? true) await migrate(handle.db)
  const close = async () => {
    await handle.close()
    await execute(server.url, `drop database if exists ${name} with (force)`)
    await server.release()
  }
  return { ...handle, url, close }
}

interface Server {
  readonly url: string
  release(): Promise<void>
}

async function acquireServer(): Promise<Server> {
  const given = process.env['TEST_DATABASE_URL']
  if (given) return { url: given, release: async () => {} }
  users++
  running ??= startServer()
  const { server, folder } = await running
  const release = async () => {
    if (--users > 0) return
    running = undefined
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { url: server.url, release }
}

let users = 0
let running: Promise<{ server: EmbeddedPostgres; folder: string }> | undefined

async function startServer(): Promise<{ server: EmbeddedPostgres; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-test-'))
  // The server runs as another user if tests run as root.
  await chmod(folder, 0o755)
  // Nothing needs to survive a crash of the machine.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    shared_buffers: '64MB',
  }
  return { server: await startEmbeddedPostgres({ dataDir: folder, settings }), folder }
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
