import { InvalidQuery, V2Refusal } from '@shardwalk/api-schema'
import {
  LiteServerError,
  NoServerAvailable,
  QueryTimeout,
  TransportError,
  WrongAnswer,
} from '@shardwalk/liteserver'
import { IndexerError } from '@shardwalk/model'
import { type NodeAccessCode, NodeAccessError } from '@shardwalk/node-access'
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

/** Status and first words of what access to the node refuses, as clients of tonlib know them. */
const NODE_ACCESS: Readonly<
  Record<Exclude<NodeAccessCode, 'head_not_available'>, readonly [number, string]>
> = {
  no_such_workchain: [500, 'VALIDATE_ACCOUNT_STATE: '],
  no_such_shard: [500, 'LITE_SERVER_NOTREADY: '],
  before_first_block: [500, 'LITE_SERVER_NOTREADY: '],
  too_many_libraries: [500, ''],
  get_method_timeout: [504, 'timeout: '],
  get_method_result_too_big: [500, ''],
  get_method_not_run: [500, 'INTERNAL: '],
}

function nodeAccessFailure({ code, message }: NodeAccessError): V2Failure {
  if (code === 'head_not_available') return { status: 504, text: LITE_SERVER_TIMEOUT }
  const [status, words] = NODE_ACCESS[code]
  return { status, text: `${words}${message}` }
}

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
  if (error instanceof NodeAccessError) return nodeAccessFailure(error)
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
