import { IndexerError } from '@shardwalk/model'

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
    // -400 and 621 concern the query itself; other errors may not recur later or on another server.
    this.retry = serverCode === -400 || serverCode === 621 ? 'never' : 'later'
  }
}

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
