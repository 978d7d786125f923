import { InvalidQuery } from '@shardwalk/api-schema'
import { exhaustedBy, hasNoConnection, isArchiveAway } from '@shardwalk/db'
import { ThreadsBusy } from '@shardwalk/node-access/requests'
import {
  MAX_HELD_OFFSET,
  MasterchainBlockNotIndexed,
  OffsetTooLarge,
  PageTooLarge,
  WrongCursor,
} from '@shardwalk/queries'
import { ReplyTooLarge } from '@shardwalk/replies'
import type { Request, Response } from 'express'

/** A foreseen error: it is reported to the client and not logged. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'HttpError'
  }
}

/** The foreseen error as one of HTTP, whichever part of the API threw it; undefined for others. */
export function httpErrorOf(error: unknown): HttpError | undefined {
  if (error instanceof ReplyTooLarge) return new HttpError(422, error.message)
  if (error instanceof ThreadsBusy) return new HttpError(503, error.message, { 'Retry-After': '1' })
  return error instanceof HttpError ? error : undefined
}

/** The statement was cancelled because of the client's own `X-Timeout`. */
export class OwnTimeout extends Error {}

/** Status 404. */
export const notFound = (message: string): HttpError => new HttpError(404, message)

/** An error as clients see it. */
export interface Failure {
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** True for errors of the server, which are logged. */
  readonly ours: boolean
}

/** SQLSTATE query_canceled, used for statement timeouts. */
const QUERY_CANCELED = '57014'
/** Whether PostgreSQL ended a statement at its time limit, or because it was asked to. */
export const isQueryCanceled = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === QUERY_CANCELED
const WRONG_CURSOR =
  'wrong value for parameter "cursor": it does not belong to this list in this order; ' +
  'accepted: the header X-Next-Cursor of an earlier reply to the same query'
const OFFSET_TOO_LARGE =
  `wrong value for parameter "offset": it is too large for this list; accepted: at most ${MAX_HELD_OFFSET}` +
  '; for pages beyond it `cursor` with the header X-Next-Cursor of an earlier reply to the same query'

/**
 * The only place where an error becomes a status and a text. Messages of the driver and SQL are never
 * returned to clients.
 */
export function toFailure(error: unknown): Failure {
  const own = httpErrorOf(error)
  if (own) return refused(own.status, own.message, own.headers)
  if (error instanceof InvalidQuery) return refused(422, error.message)
  if (error instanceof MasterchainBlockNotIndexed) return refused(404, error.message)
  if (error instanceof WrongCursor) return refused(422, WRONG_CURSOR)
  if (error instanceof OffsetTooLarge) return refused(422, OFFSET_TOO_LARGE)
  if (error instanceof PageTooLarge) return refused(422, tooLarge(error))
  if (error instanceof OwnTimeout) return refused(500, 'query timeout')
  if (isQueryCanceled(error)) return failed(500, 'query timeout')
  const ofDatabase = databaseFailure(error)
  if (ofDatabase) return ofDatabase
  const status = (error as { status?: unknown } | null)?.status
  if (typeof status === 'number' && status >= 400 && status < 500) return refused(status, 'bad request')
  return failed(500, 'internal server error')
}

const tooLarge = ({ bytes }: PageTooLarge): string =>
  `the tokens of this page have ${Math.round(bytes / 1_048_576)} MiB of content: ask for fewer at a time`

/** The failure of a statement that may succeed later; undefined for other errors. */
export function databaseFailure(error: unknown): Failure | undefined {
  // Everything else is served.
  if (isArchiveAway(error))
    return unavailable('the archive server that keeps these older blocks is not available', 10)
  if (hasNoConnection(error)) return unavailable('database is not available', 1)
  const exhausted = exhaustedBy(error)
  return exhausted && unavailable(`the database has not enough ${exhausted} for this request`, 10)
}

const unavailable = (message: string, retryAfterSeconds: number): Failure => ({
  ...failed(503, message),
  headers: { 'Retry-After': String(retryAfterSeconds) },
})
const refused = (status: number, message: string, headers: Failure['headers'] = {}): Failure => ({
  status,
  message,
  headers,
  ours: false,
})
const failed = (status: number, message: string): Failure => ({ status, message, headers: {}, ours: true })

/** Some clients of API v3 read `result`; clients of API v2 would treat it as success. */
export const TOO_MANY_RESULT = { result: 'Ratelimit exceed' }

/** Error body of API v3; `error` and `code` are always present. */
export const errorBody = ({ message, status }: { message: string; status: number }): string =>
  JSON.stringify({ error: message, code: status, ...(status === 429 && { ok: false, ...TOO_MANY_RESULT }) })

/**
 * True if no client waits for the reply any more. A request whose body was rejected half-way has no socket
 * left.
 */
export const isAbandoned = (request: Request, response: Response): boolean =>
  (request.socket as Request['socket'] | null)?.destroyed === true || response.destroyed
