import { awaitDatabase, DatabaseRefused, DatabaseUnreachable, DatabaseUnsuitable } from '@shardwalk/db'
import { EXIT, type Logger, maskText } from '@shardwalk/observability'
import { remedyOf } from './database-remedies.ts'
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
    const reason = maskText(messageOf(error)).trim()
    if (error instanceof DatabaseUnreachable)
      throw new CommandError(`${setting}: ${server} cannot be reached: ${reason}`, EXIT.tryAgain)
    if (error instanceof DatabaseUnsuitable) throw new CommandError(`${setting}: ${server}: ${reason}`)
    if (!(error instanceof DatabaseRefused)) throw error
    const what = error.isUntrusted ? 'is not trusted' : error.sqlState ? 'refuses' : 'cannot be used'
    throw new CommandError(`${setting}: ${server} ${what}: ${reason}. ${remedyOf(error, url)}`.trim())
  }
}
