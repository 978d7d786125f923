import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { sleep } from '@shardwalk/concurrency'
import pg from 'pg'
import { deadlineClient } from './deadline-client.ts'
import { DatabaseRefused, DatabaseUnreachable, DatabaseUnsuitable } from './errors.ts'
import { sessionOfAnyVersion } from './session.ts'
import { checkServer, checkSession, reportedTo } from './suitable-server.ts'

/** The database that is waited for, and how long. */
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
 * Resolves when the database can be used, to what it is. A server that does not answer may still be starting,
 * so it is tried again. If it refuses (password, database, encryption), or its certificate is refused here,
 * throws `DatabaseRefused` immediately; if it is too old, its encoding is not UTF8, or a pooler drops the
 * settings of sessions, `DatabaseUnsuitable`. Otherwise `DatabaseUnreachable` after `waitMs`. None names the
 * password.
 */
export async function awaitDatabase({ url, waitMs, signal, onWaiting }: FirstConnection): Promise<Reached> {
  const start = performance.now()
  for (;;) {
    const waited = () => performance.now() - start
    const outcome = await attempt(url, Math.max(PAUSE_MS, Math.min(ATTEMPT_MS, waitMs - waited())))
    if (!('error' in outcome)) return outcome
    const { error, answered, isUntrusted } = outcome
    if (error instanceof DatabaseUnsuitable) throw error
    if (answered) throw new DatabaseRefused(error.message, sqlState(error), { cause: error, isUntrusted })
    const left = waitMs - waited()
    if (left <= 0 || signal?.aborted)
      throw new DatabaseUnreachable(`no answer within ${Math.round(waited() / 1000)} s`, { cause: error })
    onWaiting?.(error, waited())
    await sleep(Math.min(PAUSE_MS, left), signal)
  }
}

/** A database that answers. */
export interface Reached {
  /** It is a replica, or made so for its users. */
  readonly isReadOnly: boolean
}

interface Failure {
  readonly error: Error
  /** The failure is an answer of the server, not its silence. */
  readonly answered: boolean
  /** The certificate of the server was refused here. */
  readonly isUntrusted?: boolean
}

/** The part of pg's client that its type omits; the stream of an encrypted connection is a `TLSSocket`. */
interface Inside {
  readonly connection: { readonly stream: { readonly authorizationError?: unknown } }
}

async function attempt(url: string, timeoutMs: number): Promise<Reached | Failure> {
  const socket = new Socket()
  const Client = deadlineClient({ silenceMs: timeoutMs })
  const mark = randomBytes(8).toString('hex')
  const client = clientOf(() => {
    return new Client({
      // With the settings of the pool: what is between here and the server may refuse them.
      ...sessionOfAnyVersion(url, mark),
      connectionTimeoutMillis: timeoutMs,
      statement_timeout: 60_000,
      stream: () => socket,
    })
  })
  if (client instanceof Error) return { error: client, answered: true }
  client.on('error', () => {})
  const reported = reportedTo(client)
  try {
    await client.connect()
    checkServer(reported)
    await checkSession(client, mark)
    await client.end()
    const isReadOnly = ['in_hot_standby', 'default_transaction_read_only'].some(
      (name) => reported.get(name) === 'on',
    )
    return { isReadOnly }
  } catch (error) {
    // A name with several addresses fails with an AggregateError.
    const first = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error)
    return failureOf(first, client, socket)
  } finally {
    socket.destroy()
  }
}

/** What the error of an attempt means; `socket` is as the error left it. */
function failureOf(error: Error, client: pg.Client, socket: Socket): Failure {
  const state = sqlState(error)
  // Also set where certificates are not verified, and then it is not what failed.
  const refusal = (client as unknown as Inside).connection.stream.authorizationError
  const isUntrusted =
    refusal != null && state === undefined && [codeOf(error), error.message].includes(String(refusal))
  // A network error has a system call; a server that hangs up has closed the connection; with a silent one
  // the attempt times out.
  const silent = socket.connecting || socket.destroyed || socket.readableEnded || 'syscall' in error
  const isRefusal = state !== undefined && (!NOT_YET.test(state) || NO_PARAMETER.test(error.message))
  const answered = isUntrusted || isRefusal || (state === undefined && !silent)
  return { error, answered, isUntrusted }
}

/** The error: the URL names a file of a certificate that cannot be read. */
function clientOf(make: () => pg.Client): pg.Client | Error {
  try {
    return make()
  } catch (error) {
    return error as Error
  }
}

/**
 * Connection exceptions, insufficient resources, server starting up or shutting down. Source: PostgreSQL,
 * appendix A.
 */
const NOT_YET = /^(08|53|57)/

/** PgBouncer has one code for this and for a server that it cannot reach yet. */
const NO_PARAMETER = /unsupported startup parameter/

const codeOf = (error: Error): string | undefined => (error as NodeJS.ErrnoException).code

const sqlState = (error: Error): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined
