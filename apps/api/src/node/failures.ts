import { InvalidQuery, V2Refusal } from '@shardwalk/api-schema'
import { QueueFull } from '@shardwalk/concurrency'
import {
  LiteServerError,
  NoServerAvailable,
  QueryTimeout,
  TransportError,
  WrongAnswer,
} from '@shardwalk/liteserver'
import { IndexerError } from '@shardwalk/model'
import { type NodeAccessCode, NodeAccessError } from '@shardwalk/node-access'
import { LITE_ERROR } from '@shardwalk/tl'
import { databaseFailure, httpErrorOf } from '../http/errors.ts'

// Clients compare statuses and texts, so they equal those of tonlib and TON Center.

/** Source: node, `ton/tonlib/tonlib/ExtClient`. */
const LITE_SERVER_CODES: Readonly<Record<number, string>> = {
  [LITE_ERROR.failure]: 'FAILURE',
  [LITE_ERROR.error]: 'ERROR',
  [LITE_ERROR.warning]: 'WARNING',
  [LITE_ERROR.protoViolation]: 'PROTOVIOLATION',
  [LITE_ERROR.notReady]: 'NOTREADY',
  [LITE_ERROR.timeout]: 'TIMEOUT',
  [LITE_ERROR.cancelled]: 'CANCELLED',
}

const LITE_SERVER_TIMEOUT = 'LITE_SERVER_NETWORK timeout'

const liteServerText = (error: LiteServerError): string =>
  `LITE_SERVER_${LITE_SERVER_CODES[error.serverCode] ?? 'UNKNOWN'}: ${error.serverMessage}`

const noServersText = (archival: 0 | 1): string =>
  `failed to get session: no workers available (archival=${archival} mode=Single)`

/** No lite server is configured. */
export const noServers = (): V2Refusal => failure(542, noServersText(0))

/** A failure with a given status and text. */
export const failure = (status: number, text: string): V2Refusal => new V2Refusal(text, 'plain', status)

/** Status and text. A text that is empty or ends with a space is followed by the error's own message. */
const NODE_ACCESS: Readonly<Record<NodeAccessCode, readonly [number, string]>> = {
  aborted: [504, LITE_SERVER_TIMEOUT],
  head_not_available: [504, LITE_SERVER_TIMEOUT],
  no_such_workchain: [422, 'VALIDATE_ACCOUNT_STATE: '],
  no_such_shard: [500, 'LITE_SERVER_NOTREADY: '],
  before_first_block: [500, 'LITE_SERVER_NOTREADY: '],
  block_not_kept: [500, 'LITE_SERVER_NOTREADY: '],
  proof_base_too_old: [500, ''],
  proof_too_long: [500, ''],
  proof_not_back_links: [500, 'VALIDATE_BLOCK_PROOF: '],
  no_archive_server: [542, noServersText(1)],
  transaction_not_found: [404, ''],
  too_many_libraries: [500, ''],
  get_method_timeout: [504, 'timeout: '],
  get_method_result_too_big: [500, ''],
  get_method_arguments_refused: [422, ''],
  get_method_suspended: [503, ''],
  get_method_not_run: [500, 'INTERNAL: '],
  // Without a space: tonlib puts the name of its query before the text.
  fees_not_estimated: [500, 'INTERNALestimate_fee: '],
  workchain_not_executable: [422, 'failed to validate request: '],
  message_malformed: [500, ''],
  message_not_external: [500, ''],
  message_too_large: [500, 'LITE_SERVER_UNKNOWN: '],
  not_a_token: [409, ''],
  bad_domain: [422, 'failed to validate request: '],
  domain_not_resolved: [500, ''],
}

function nodeAccessFailure({ code, message }: NodeAccessError): V2Failure {
  const [status, text] = NODE_ACCESS[code]
  return {
    status,
    text: text === '' || text.endsWith(' ') ? `${text}${message}` : text,
    ...(status === 503 && { headers: { 'Retry-After': HEALED_SECONDS } }),
  }
}

/** Code whose runs failed is tried again after a minute. */
const HEALED_SECONDS = '60'
/** The queue is short, so it has space again soon. */
const FREE_SECONDS = '1'

/** A refusal as API v2 has it: HTTP status, which is also `code`, and text. */
export interface V2Failure {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
  /** True for an error of ours, which is logged. */
  readonly isUnexpected?: boolean
}

/** Status and text for an error. `form`: how the request's parameters were sent. */
export function toV2Failure(error: unknown, form: 'get' | 'post'): V2Failure {
  if (error instanceof V2Refusal) return { status: error.status, text: error.text(form) }
  const own = httpErrorOf(error)
  if (own) return { status: own.status, text: own.message, headers: own.headers }
  if (error instanceof InvalidQuery) return { status: 422, text: error.message }
  if (error instanceof NodeAccessError) return nodeAccessFailure(error)
  if (error instanceof QueueFull)
    return { status: 503, text: error.message, headers: { 'Retry-After': FREE_SECONDS } }
  if (error instanceof LiteServerError) return { status: 500, text: liteServerText(error) }
  if (error instanceof QueryTimeout || error instanceof NoServerAvailable)
    return { status: 504, text: LITE_SERVER_TIMEOUT }
  if (error instanceof TransportError)
    return { status: 500, text: 'LITE_SERVER_NETWORK: the connection broke' }
  if (error instanceof WrongAnswer)
    return { status: 500, text: `VALIDATE_ANSWER: ${error.method} ${error.problem}` }
  if (error instanceof IndexerError)
    return { status: error.retry === 'later' ? 503 : 500, text: error.message, isUnexpected: true }
  const ofDatabase = databaseFailure(error)
  if (ofDatabase) {
    const { status, message: text, headers } = ofDatabase
    return { status, text, headers, isUnexpected: true }
  }
  return { status: 500, text: 'Internal Server Error', isUnexpected: true }
}
