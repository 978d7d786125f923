import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '@shardwalk/concurrency'
import {
  awaitDatabase,
  checkSchema,
  createDb,
  type DatabaseHandle,
  type DatabaseOptions,
  DatabaseRefused,
  DatabaseUnreachable,
  DatabaseUnsuitable,
  followPort,
  isDatabaseAway,
  migrate,
} from '@shardwalk/db'
import { findEmbeddedPostgres, startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import type { NetworkChoice } from '@shardwalk/networks'
import { createLogger, EXIT, type Logger, maskText } from '@shardwalk/observability'
import type { Settings } from '@shardwalk/settings'
import { CommandError, messageOf } from './outcome.ts'

/**
 * A database for one network. `exited` resolves when an embedded server has exited, and never for other
 * servers.
 */
export interface OpenDatabase {
  readonly url: string
  readonly embedded: boolean
  readonly exited: Promise<void>
  stop(): Promise<void>
}

/** What decides which database is used. */
export interface DatabasePlace {
  readonly settings: Settings
  /** Absolute path. */
  readonly dataDir: string
  readonly network: NetworkChoice
}

const NEVER = new Promise<void>(() => {})

interface Opening {
  /** Port of an embedded server that is restarted. */
  readonly port?: number
  readonly onNotice?: (text: string) => void
  /** Logs that the database does not answer yet. Default: a new logger with the configured format. */
  readonly log?: Logger
  /** Ends the wait. */
  readonly signal?: AbortSignal
}

/**
 * Opens `DATABASE_URL`, or the embedded server with one database per network. Waits for a server that does
 * not answer yet (up to `DATABASE_WAIT_SECONDS`), because containers and machines start in any order.
 */
export async function openDatabase(
  { settings, dataDir, network }: DatabasePlace,
  { log, signal, ...options }: Opening = {},
): Promise<OpenDatabase> {
  if (settings.databaseUrl) {
    await reachDatabase(settings.databaseUrl, {
      setting: 'DATABASE_URL',
      log: log ?? createLogger({ level: settings.logLevel, format: settings.logFormat }),
      signal,
      seconds: settings.databaseWaitSeconds,
    })
    await checkRights(settings.databaseUrl)
    return { url: settings.databaseUrl, embedded: false, exited: NEVER, stop: async () => {} }
  }
  return await openEmbedded({ settings, dataDir, network }, options)
}

/**
 * If a previous server was killed while starting, its folder is still locked: stops it and starts once more.
 */
async function openEmbedded(
  { settings, dataDir, network }: DatabasePlace,
  options: Pick<Opening, 'port' | 'onNotice'>,
): Promise<OpenDatabase> {
  for (let attempt = 1; ; attempt++) {
    const server = await startServer({ settings, dataDir }, options)
    try {
      const url = await networkDatabase(server.url, network)
      return { url, embedded: true, exited: server.exited, stop: () => server.stop() }
    } catch (error) {
      await server.stop().catch(() => {})
      if (attempt === STARTS || !isDatabaseAway(error)) throw error
    }
  }
}
/** More than somebody kills by hand; one that cannot run fails in seconds. */
const STARTS = 8

const startServer = (
  { settings, dataDir }: Pick<DatabasePlace, 'settings' | 'dataDir'>,
  options: Pick<Opening, 'port' | 'onNotice'> = {},
) =>
  startEmbeddedPostgres({
    dataDir,
    ...(settings.databasePort !== undefined && { port: settings.databasePort }),
    ...options,
  })

/** The database of a running installation; the embedded server is started if necessary. */
export async function joinDatabase(place: DatabasePlace): Promise<OpenDatabase> {
  const running = place.settings.databaseUrl ? undefined : await findEmbeddedPostgres(place.dataDir)
  if (!running)
    return place.settings.databaseUrl ? untilSignal(() => openDatabase(place)) : openDatabase(place)
  return {
    url: await networkDatabase(running.url, place.network),
    embedded: true,
    exited: NEVER,
    stop: async () => {},
  }
}

/** The embedded server's database of the network, if there is one; the server is started if necessary. */
async function findEmbedded({ settings, dataDir, network }: DatabasePlace): Promise<OpenDatabase> {
  const nothing = new CommandError(
    `There is nothing of ${network.slug} in ${dataDir}. Set DATABASE_URL, choose another folder with ` +
      '--data-dir, or run "shardwalk start" first.',
  )
  if (!existsSync(join(dataDir, 'postgres'))) throw nothing
  const running = await findEmbeddedPostgres(dataDir)
  const server = running ? undefined : await startServer({ settings, dataDir })
  const stop = async () => server?.stop()
  try {
    const url = await findNetworkDatabase((running ?? server!).url, network)
    if (url === undefined) throw nothing
    return { url, embedded: true, exited: server?.exited ?? NEVER, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The first process of a container ignores signals without a handler, so handle them while waiting. */
async function untilSignal<T>(work: () => Promise<T>): Promise<T> {
  const stop = () => process.exit(EXIT.done)
  for (const name of SIGNALS) process.once(name, stop)
  try {
    return await work()
  } finally {
    for (const name of SIGNALS) process.off(name, stop)
  }
}
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

const databaseName = (network: NetworkChoice): string => `shardwalk_${network.slug}`

function withName(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.toString()
}

async function findNetworkDatabase(serverUrl: string, network: NetworkChoice): Promise<string | undefined> {
  const name = databaseName(network)
  const { rowCount } = await withDbRetry(serverUrl, ({ pool }) =>
    pool.query('select 1 from pg_database where datname = $1', [name]),
  )
  return rowCount === 0 ? undefined : withName(serverUrl, name)
}

/** One database per network in the embedded server, so that data of different networks never mix. */
async function networkDatabase(serverUrl: string, network: NetworkChoice): Promise<string> {
  const name = databaseName(network)
  const { pool, close } = createDb({ url: serverUrl, max: 1 })
  try {
    const found = await pool.query('select 1 from pg_database where datname = $1', [name])
    // The slug contains only letters, digits and underscores.
    if (found.rowCount === 0) await pool.query(`create database "${name}"`)
  } catch (error) {
    // 42P04, 23505: another process was faster.
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error
  } finally {
    await close()
  }
  return withName(serverUrl, name)
}

interface Waiting {
  readonly setting: 'DATABASE_URL' | 'DATABASE_READ_URL'
  readonly log: Logger
  readonly signal: AbortSignal | undefined
  readonly seconds: number
}

const LOG_INTERVAL_MS = 10_000

async function reachDatabase(url: string, { setting, log, signal, seconds }: Waiting): Promise<void> {
  const { hostname, port } = new URL(url)
  const server = `${hostname || 'the local socket'}:${port || 5432}`
  let loggedMs = Number.NEGATIVE_INFINITY
  const onWaiting = (error: Error, waitedMs: number) => {
    if (waitedMs - loggedMs < LOG_INTERVAL_MS) return
    loggedMs = waitedMs
    log.warn('database did not answer', {
      setting,
      server,
      reason: messageOf(error),
      waited_seconds: Math.round(waitedMs / 1000),
      gives_up_after_seconds: seconds,
    })
  }
  try {
    await awaitDatabase({ url, waitMs: 1000 * seconds, onWaiting, ...(signal && { signal }) })
  } catch (error) {
    const reason = maskText(messageOf(error))
    if (error instanceof DatabaseUnreachable)
      throw new CommandError(`${setting}: ${server} cannot be reached: ${reason}`, EXIT.tryAgain)
    if (error instanceof DatabaseUnsuitable) throw new CommandError(`${setting}: ${server}: ${reason}`)
    if (!(error instanceof DatabaseRefused)) throw error
    if (error.isUntrusted) throw new CommandError(`${setting}: ${server} is not trusted: ${reason}. ${TRUST}`)
    const remedy = REMEDIES[error.sqlState ?? '']?.(url)
    throw new CommandError(`${setting}: ${server} refuses: ${reason}.${remedy ? ` ${remedy}` : ''}`)
  }
}

const TRUST =
  'Add sslrootcert=<file of the authority> to the URL, or uselibpqcompat=true&sslmode=require to encrypt ' +
  'without verifying.'

/** Advice by SQLSTATE. */
const REMEDIES: Readonly<Record<string, (url: string) => string>> = {
  '28P01': () => 'Correct user and password.',
  '28000': () => "Correct the user, or allow it in the server's pg_hba.conf.",
  '3D000': (url) => `Create it: createdb ${databaseOf(url)}`,
  '08P01': () => 'Connect to PostgreSQL itself: a pooler such as PgBouncer does not keep sessions.',
}

/** As with libpq, that of the user's name if the URL has none. */
function databaseOf(url: string): string {
  const { pathname, username } = new URL(url)
  const name = pathname.slice(1) || username
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

async function checkRights(url: string): Promise<void> {
  const { rows } = await withDbRetry(url, ({ pool }) =>
    pool.query<{ read_only: boolean; may_create: boolean }>(
      `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only,
              has_database_privilege(current_database(), 'create') as may_create`,
    ),
  )
  if (rows[0]?.read_only)
    throw new CommandError('DATABASE_URL: this server is read-only (a replica?). Use a primary.')
  if (!rows[0]?.may_create)
    throw new CommandError('DATABASE_URL: the user may not create schemas in this database. Grant it CREATE.')
}

/** Throws unless the tables are those of this version. */
export const checkTables = (url: string): Promise<void> => withDbRetry(url, ({ db }) => checkSchema(db))

/** The same; and rows of the archive can be reached if the server has another port than before. */
export const checkTablesToWrite = (url: string): Promise<void> =>
  withDbRetry(url, async ({ db, pool }) => {
    await checkSchema(db)
    await followPort(pool)
  })

/**
 * Migrates the database to this version, however long a statement takes. All or nothing: what is interrupted
 * starts over.
 */
export const migrateDatabase = (url: string): Promise<readonly string[]> =>
  asOwner('migrate', () =>
    withDbRetry(
      url,
      async ({ db, pool }) => {
        const done = await migrate(db)
        await followPort(pool)
        return done
      },
      { statementTimeoutMs: 0 },
    ),
  )

/** Says who may run the command. */
export async function asOwner<T>(
  command: 'migrate' | 'compact' | 'archive',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error
    throw new CommandError(
      `DATABASE_URL: this user may not ${command} the database. Run "shardwalk ${command}" as the owner of ` +
        'the tables.',
      EXIT.tryAgain,
    )
  }
}
const INSUFFICIENT_PRIVILEGE = '42501'

/** A replica may lag: it is read only if there is nothing else. */
export const primaryFirst = (settings: Settings): Settings => ({
  ...settings,
  databaseReadUrl: settings.databaseUrl === undefined ? settings.databaseReadUrl : [settings.databaseUrl],
})

/**
 * A database to read from: it is neither created, migrated nor written to, and may be a replica. Of several
 * the first that answers.
 */
export async function readableDatabase(place: DatabasePlace): Promise<OpenDatabase> {
  const { settings } = place
  const { databaseUrl, databaseReadUrl = databaseUrl === undefined ? [] : [databaseUrl] } = settings
  const url = await firstThatAnswers(databaseReadUrl)
  const setting = url === databaseUrl ? 'DATABASE_URL' : 'DATABASE_READ_URL'
  if (url === undefined) return findEmbedded(place)
  const log = createLogger({ level: settings.logLevel, format: settings.logFormat })
  await untilSignal(() =>
    reachDatabase(url, { setting, log, signal: undefined, seconds: settings.databaseWaitSeconds }),
  )
  return { url, embedded: false, exited: NEVER, stop: async () => {} }
}

/** The first one if none does. */
async function firstThatAnswers(urls: readonly string[]): Promise<string | undefined> {
  if (urls.length > 1)
    for (const url of urls)
      try {
        await awaitDatabase({ url, waitMs: 0 })
        return url
      } catch {
        // The next one may.
      }
  return urls[0]
}

type Limits = Pick<DatabaseOptions, 'statementTimeoutMs'>

/** Opens the database for one use and closes it afterwards, whatever happens. */
export async function withDb<T>(
  url: string,
  use: (handle: DatabaseHandle) => Promise<T>,
  limits: Limits = {},
): Promise<T> {
  const handle = createDb({ url, max: 4, applicationName: 'shardwalk ops', ...limits })
  try {
    return await use(handle)
  } finally {
    await handle.close()
  }
}

/** Like `withDb`, for idempotent work: retries for half a minute if the server goes away and is restarted. */
export async function withDbRetry<T>(
  url: string,
  use: (handle: DatabaseHandle) => Promise<T>,
  limits: Limits = {},
): Promise<T> {
  const deadline = performance.now() + RETRY.forMs
  for (;;)
    try {
      return await withDb(url, use, limits)
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > deadline) throw error
      await sleep(RETRY.everyMs)
    }
}
const RETRY = { everyMs: 500, forMs: 30_000 } as const
