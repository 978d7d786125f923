import { createDb, type DatabaseHandle, findEmbeddedPostgres, migrate, startEmbeddedPostgres } from '@shardwalk/db'
import type { Settings } from '@shardwalk/settings'
import type { NetworkChoice } from './network.ts'
import { CommandError, messageOf } from './outcome.ts'

/** A database for one network. `exited` settles when an embedded server ended; never for a server of somebody else. */
export interface OpenDatabase {
  readonly url: string
  readonly embedded: boolean
  readonly exited: Promise<void>
  stop(): Promise<void>
}

export interface DatabasePlace {
  readonly settings: Settings
  /** Absolute. */
  readonly dataDir: string
  readonly network: NetworkChoice
}

const NEVER = new Promise<void>(() => {})

/** `DATABASE_URL`, or the embedded server with one database per network. `port`: of an embedded server that is started again. */
export async function openDatabase(
  { settings, dataDir, network }: DatabasePlace,
  options: { readonly port?: number; readonly onNotice?: (text: string) => void } = {},
): Promise<OpenDatabase> {
  if (settings.databaseUrl) {
    await tryConnect(settings.databaseUrl)
    return { url: settings.databaseUrl, embedded: false, exited: NEVER, stop: async () => {} }
  }
  const server = await startEmbeddedPostgres({ dataDir, ...options })
  const url = await networkDatabase(server.url, network)
  return { url, embedded: true, exited: server.exited, stop: () => server.stop() }
}

/** The database of a running installation, for commands beside `start`; starts the embedded server when it is not running. */
export async function joinDatabase(place: DatabasePlace): Promise<OpenDatabase> {
  const running = place.settings.databaseUrl ? undefined : await findEmbeddedPostgres(place.dataDir)
  if (!running) return openDatabase(place)
  return { url: await networkDatabase(running.url, place.network), embedded: true, exited: NEVER, stop: async () => {} }
}

/** One database per network in the embedded server, so that trying another network never meets foreign data. */
async function networkDatabase(serverUrl: string, network: NetworkChoice): Promise<string> {
  const name = `shardwalk_${network.slug}`
  const url = new URL(serverUrl)
  const { pool, close } = createDb({ url: serverUrl, max: 1 })
  try {
    const found = await pool.query('select 1 from pg_database where datname = $1', [name])
    // The slug holds only letters, digits and underscores.
    if (found.rowCount === 0) await pool.query(`create database "${name}"`)
  } catch (error) {
    // 42P04, 23505: another process was faster.
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error
  } finally {
    await close()
  }
  url.pathname = `/${name}`
  return url.toString()
}

async function tryConnect(url: string): Promise<void> {
  const { pool, close } = createDb({ url, max: 1, connectTimeoutMs: 10_000 })
  try {
    const { rows } = await pool.query<{ read_only: boolean; may_create: boolean }>(
      `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only,
              has_database_privilege(current_database(), 'create') as may_create`,
    )
    if (rows[0]?.read_only) throw new CommandError('DATABASE_URL: this server only reads (a replica?). Give a primary.')
    if (!rows[0]?.may_create)
      throw new CommandError('DATABASE_URL: the user may not create schemas in this database. Grant CREATE on it.')
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`DATABASE_URL: no connection to the database: ${messageOf(error)}`)
  } finally {
    await close()
  }
}

/** Brings the tables to this version. */
export async function migrateDatabase(url: string): Promise<readonly string[]> {
  return withDb(url, ({ db }) => migrate(db))
}

export async function withDb<T>(url: string, use: (handle: DatabaseHandle) => Promise<T>): Promise<T> {
  const handle = createDb({ url, max: 4, applicationName: 'shardwalk ops' })
  try {
    return await use(handle)
  } finally {
    await handle.close()
  }
}
