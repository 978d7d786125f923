import { IndexerError } from '@shardwalk/model'
import { LITE_ERROR } from '@shardwalk/tl'

/** Characters of a server's text that are kept: answers may have 16 MB. */
const MAX_TEXT = 1_000

/** The server answered with `liteServer.error`; `serverCode` and `serverMessage`, cut, are its own. */
export class LiteServerError extends IndexerError {
  readonly code = 'liteserver_error'
  readonly retry: 'later' | 'never'
  readonly serverMessage: string

  constructor(
    readonly server: string,
    readonly method: string,
    readonly serverCode: number,
    serverMessage: string,
  ) {
    const text = serverMessage.slice(0, MAX_TEXT)
    super(`${server} refused ${method}: ${serverCode} ${text}`)
    this.serverMessage = text
    // Other errors may not recur later or on another server.
    this.retry = concernsQuery(serverCode) ? 'never' : 'later'
  }
}

/** The query itself is refused. */
export const concernsQuery = (serverCode: number): boolean =>
  serverCode === LITE_ERROR.badQuery || serverCode === LITE_ERROR.protoViolation

/** The server does not have what the query names, or not yet. */
export const isNotFound = (error: unknown): error is LiteServerError =>
  error instanceof LiteServerError &&
  (error.serverCode === LITE_ERROR.notReady || error.serverCode === LITE_ERROR.error)

/** The server does not have a proof, or a block that it begins or ends with. */
export const isProofNotFound = (error: unknown): error is LiteServerError =>
  isNotFound(error) || (error instanceof LiteServerError && error.serverCode === LITE_ERROR.badQuery)

/** The connection could not be opened, or failed during the query. */
export class TransportError extends IndexerError {
  readonly code = 'transport_failed'
  readonly retry = 'later'

  constructor(
    readonly server: string,
    problem: string,
    options?: { cause?: unknown },
  ) {
    super(`${server}: ${problem}`, options)
  }
}

/** No answer in time. A server that is not synced stays silent, so the connection may still be fine. */
export class QueryTimeout extends IndexerError {
  readonly code = 'query_timeout'
  readonly retry = 'later'

  constructor(
    readonly server: string,
    readonly method: string,
    readonly timeoutMs: number,
  ) {
    super(`${server} did not answer ${method} within ${timeoutMs} ms`)
  }
}

/** The answer is provably wrong; the server has been reported to the pool. */
export class WrongAnswer extends IndexerError {
  readonly code = 'wrong_answer'
  readonly retry = 'later'

  constructor(
    readonly server: string,
    readonly method: string,
    readonly problem: string,
  ) {
    super(`${server} answered ${method} wrongly: ${problem}`)
  }
}

/** No server could take the query before its deadline. `states` has one line per server, for the log. */
export class NoServerAvailable extends IndexerError {
  readonly code = 'no_server_available'
  readonly retry = 'later'

  constructor(
    readonly method: string,
    readonly states: readonly string[],
  ) {
    super(`no lite server for ${method}: ${states.join('; ') || 'none configured'}`)
  }
}

/** The pool was closed while the query was waiting. */
export class PoolClosed extends IndexerError {
  readonly code = 'pool_closed'
  readonly retry = 'never'

  constructor() {
    super('the lite-server pool is closed')
  }
}
