import { awaitDatabase, DatabaseRefused, DatabaseUnreachable, DatabaseUnsuitable } from '@shardwalk/db'
import { EXIT, type Logger, maskText } from '@shardwalk/observability'
import { CommandError, messageOf } from './outcome.ts'

interface Waiting {
  readonly setting: 'DATABASE_URL' | 'DATABASE_READ_URL'
  readonly log: Logger
  readonly signal: AbortSignal | undefined
  readonly seconds: number
}

const LOG_INTERVAL_MS = 10_000

/** Waits until the server of a URL accepts connections. Throws `CommandError`, which says what to do. */
export async function reachDatabase(url: string, { setting, log, signal, seconds }: Waiting): Promise<void> {
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
