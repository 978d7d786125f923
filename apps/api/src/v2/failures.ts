import { InvalidQuery, V2Refusal } from '@shardwalk/api-schema'
import {
  LiteServerError,
  NoServerAvailable,
  QueryTimeout,
  TransportError,
  WrongAnswer,
} from '@shardwalk/liteserver'
import { IndexerError } from '@shardwalk/model'
import { HttpError } from '../http/errors.ts'

/** Source: API v2 specification 14.2. */
const LITE_SERVER_CODES: Readonly<Record<number, string>> = {
  601: 'FAILURE',
  602: 'ERROR',
  603: 'WARNING',
  621: 'PROTOVIOLATION',
  651: 'NOTREADY',
  652: 'TIMEOUT',
  653: 'CANCELLED',
}

export const liteServerText = (error: LiteServerError): string =>
  `LITE_SERVER_${LITE_SERVER_CODES[error.serverCode] ?? 'UNKNOWN'}: ${error.serverMessage}`

/** No server is configured, or none of the wanted kind. Source: API v2 specification 14.1. */
export const noServers = (archival = false): V2Refusal =>
  new V2Refusal(
    `failed to get session: no workers available (archival=${archival ? 1 : 0} mode=Single)`,
    'plain',
    542,
  )

/** A failure with its own status and text. */
export const failure = (status: number, text: string): V2Refusal => new V2Refusal(text, 'plain', status)

export const LITE_SERVER_TIMEOUT = 'LITE_SERVER_NETWORK timeout'

export interface V2Failure {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
  /** Nobody foresaw it: operators have to see it. */
  readonly isUnexpected?: boolean
}

/** Status and text of what went wrong. Source: API v2 specification 1.7, 14. */
export function toV2Failure(error: unknown, form: 'get' | 'post'): V2Failure {
  if (error instanceof V2Refusal) return { status: error.status, text: error.text(form) }
  if (error instanceof HttpError) return { status: error.status, text: error.message, headers: error.headers }
  if (error instanceof InvalidQuery) return { status: 422, text: error.message }
  if (error instanceof LiteServerError) return { status: 500, text: liteServerText(error) }
  if (error instanceof QueryTimeout || error instanceof NoServerAvailable)
    return { status: 504, text: LITE_SERVER_TIMEOUT }
  if (error instanceof TransportError)
    return { status: 500, text: 'LITE_SERVER_NETWORK: the connection broke' }
  if (error instanceof WrongAnswer)
    return { status: 500, text: `VALIDATE_ANSWER: ${error.method} ${error.problem}` }
  if (error instanceof IndexerError)
    return { status: error.retry === 'later' ? 503 : 500, text: error.message, isUnexpected: true }
  return { status: 500, text: 'Internal Server Error', isUnexpected: true }
}
