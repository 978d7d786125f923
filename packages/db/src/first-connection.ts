import { Socket } from 'node:net'
import { sleep } from '@shardwalk/concurrency'
import pg from 'pg'
import { deadlineClient } from './deadline-client.ts'
import { DatabaseRefused, DatabaseUnreachable } from './errors.ts'

export interface FirstConnection {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** How long to wait for a server that cannot be reached or is starting; 0: one attempt. Milliseconds. */
  readonly waitMs: number
  readonly signal?: AbortSignal
  /** Called after each failed attempt that will be followed by another. */
  readonly onWaiting?: (reason: Error, waitedMs: number) => void
}

const ATTEMPT_MS = 10_000
const PAUSE_MS = 1000

/**
 * Resolves when the database can be used. A server that does not answer may still be starting, so it is tried
 * again. If it refuses (password, database, encryption), throws `DatabaseRefused` immediately. Otherwise
 * `DatabaseUnreachable` after `waitMs`. Neither names the password.
 */
export async function awaitDatabase({ url, waitMs, signal, onWaiting }: FirstConnection): Promise<void> {
  const start = performance.now()
  for (;;) {
    const waited = () => performance.now() - start
    const failure = await attempt(url, Math.max(PAUSE_MS, Math.min(ATTEMPT_MS, waitMs - waited())))
    if (!failure) return
    const { error, answered } = failure
    if (answered) throw new DatabaseRefused(error.message, sqlState(error), { cause: error })
    const left = waitMs - waited()
    if (left <= 0 || signal?.aborted)
      throw new DatabaseUnreachable(`no answer within ${Math.round(waited() / 1000)} s`, { cause: error })
    onWaiting?.(error, waited())
    await sleep(Math.min(PAUSE_MS, left), signal)
  }
}

interface Failure {
  readonly error: Error
  /** The failure is an answer of the server, not its silence. */
  readonly answered: boolean
}

async function attempt(url: string, timeoutMs: number): Promise<Failure | undefined> {
  const socket = new Socket()
  const Client = deadlineClient({ silenceMs: timeoutMs })
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    stream: () => socket,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return undefined
  } catch (thrown) {
    // A name with several addresses fails with an AggregateError.
    const error = thrown instanceof AggregateError ? (thrown.errors[0] as Error) : (thrown as Error)
    const state = sqlState(error)
    // A network error has a system call; a server that hangs up has closed the connection; with a silent one
    // the attempt times out.
    const silent = socket.connecting || socket.destroyed || socket.readableEnded || 'syscall' in error
    return { error, answered: state === undefined ? !silent : !NOT_YET.test(state) }
  } finally {
    socket.destroy()
  }
}

/**
 * Connection exceptions, insufficient resources, server starting up or shutting down. Source: PostgreSQL,
 * appendix A.
 */
const NOT_YET = /^(08|53|57)/

const sqlState = (error: Error): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined
