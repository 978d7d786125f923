import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { awaitDatabase, isDatabaseAway } from '@shardwalk/db'
import { findEmbeddedPostgres, startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import type { NetworkChoice } from '@shardwalk/networks'
import { createLogger, EXIT, type Logger } from '@shardwalk/observability'
import type { Settings } from '@shardwalk/settings'
import { findNetworkDatabase, networkDatabase } from './network-database.ts'
import { CommandError } from './outcome.ts'
import { reachDatabase } from './reach-database.ts'
import { withDbRetry } from './with-db.ts'

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
  /** An embedded server is restarted: a folder without its database is an error. */
  readonly again?: boolean
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
 * If a previous server was killed while starting, its folder is still locked: stops it and starts again.
 */
async function openEmbedded(
  { settings, dataDir, network }: DatabasePlace,
  options: Pick<Opening, 'port' | 'again' | 'onNotice'>,
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
/** More than anyone kills by hand; a server that cannot run reaches it in seconds. */
const STARTS = 8

const startServer = (
  { settings, dataDir }: Pick<DatabasePlace, 'settings' | 'dataDir'>,
  options: Pick<Opening, 'port' | 'again' | 'onNotice'> = {},
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

async function checkRights(url: string): Promise<void> {
  const { rows } = await withDbRetry(url, ({ pool }) =>
    pool.query<{ read_only: boolean; may_create: boolean }>(
      `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only,
              has_database_privilege(current_database(), 'create') as may_create`,
    ),
  )
  if (rows[0]?.read_only)
    throw new CommandError(
      'DATABASE_URL: this server is read-only: a replica, or one whose recovery has stopped at its target. ' +
        'Use a primary.',
    )
  if (!rows[0]?.may_create)
    throw new CommandError('DATABASE_URL: the user may not create schemas in this database. Grant it CREATE.')
}

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
