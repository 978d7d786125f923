import { DecodeError } from '@shardwalk/model'
import { LITE_ERROR, type LiteFunctionName } from '@shardwalk/tl'
import { LiteServerError, QueryTimeout, TransportError, WrongAnswer } from '../errors.ts'

/**
 * What to do after a failed attempt. `fail`: give up. `other`: next server, retry later. `older`: archive
 * servers first; final if none is left. `wait`: the block is not there yet, retry shortly.
 */
export type Verdict = 'fail' | 'other' | 'older' | 'wait'

/** What is known of an attempt that failed. */
export interface Attempt {
  readonly method: LiteFunctionName
  /** Masterchain block the answer depends on, if known. */
  readonly mcBlockSeqno: number | undefined
  readonly serverHead: number | undefined
  /** It did not have every block yet that the answer may depend on. */
  readonly wasBehind?: boolean
}

/** Codes and texts with which commercial proxies refuse requests beyond a rate. */
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([228, 429])
const RATE_LIMIT_TEXT = /too many requests|rate.?limit|requests? (limit|quota) (reached|exceeded)/i
/** Gateway error of commercial proxies. */
const BAD_GATEWAY = 502

/** For these, `badQuery` often means that the server no longer has the data, or not yet. */
const HISTORY: ReadonlySet<LiteFunctionName> = new Set<LiteFunctionName>([
  'liteServer.getTransactions',
  'liteServer.getOneTransaction',
  'liteServer.getAccountState',
  'liteServer.getAccountStatePrunned',
  'liteServer.runSmcMethod',
  'liteServer.getConfigAll',
  'liteServer.getConfigParams',
  'liteServer.getBlockProof',
  'liteServer.getShardBlockProof',
  'liteServer.getLibrariesWithProof',
  'liteServer.getValidatorStats',
])

/** Errors that do not come from a lite server concern the caller. */
export function verdictOn(error: unknown, attempt: Attempt): Verdict {
  if (error instanceof LiteServerError) return verdictOnCode(error.serverCode, attempt)
  const elsewhere = [TransportError, QueryTimeout, WrongAnswer, DecodeError].some(
    (kind) => error instanceof kind,
  )
  return elsewhere ? 'other' : 'fail'
}

function verdictOnCode(code: number, { method, mcBlockSeqno, serverHead, wasBehind }: Attempt): Verdict {
  if (code === LITE_ERROR.notReady)
    return mcBlockSeqno !== undefined && mcBlockSeqno > (serverHead ?? 0) ? 'wait' : 'older'
  if (code === LITE_ERROR.error) return 'older'
  if (code === LITE_ERROR.badQuery && !HISTORY.has(method)) return 'fail'
  if (code === LITE_ERROR.badQuery) return wasBehind ? 'other' : 'older'
  // Code 0 comes with the reason why a message was rejected; another server would give the same reason.
  if (code === 0 || code === -1) return method === 'liteServer.sendMessage' ? 'fail' : 'other'
  return 'other'
}

/** A server has refused the message that it was sent, not only the request. */
export const isMessageRefusal = (error: unknown): error is LiteServerError =>
  error instanceof LiteServerError &&
  !isRateLimit(error) &&
  verdictOnCode(error.serverCode, SENDING) === 'fail'

const SENDING: Attempt = {
  method: 'liteServer.sendMessage',
  mcBlockSeqno: undefined,
  serverHead: undefined,
}

/** The server lacks the function and will not be asked for it again. */
export const isUnknownFunction = (error: unknown): boolean =>
  error instanceof LiteServerError &&
  (error.serverCode === LITE_ERROR.protoViolation ||
    (error.serverCode === 0 && error.serverMessage.startsWith('Unknown constructor')))

/** Fewer queries at the same time may help. */
export const isOverload = (error: unknown): boolean =>
  error instanceof QueryTimeout || (error instanceof LiteServerError && error.serverCode === BAD_GATEWAY)

/** The server accepts fewer requests per second. */
export const isRateLimit = (error: unknown): boolean =>
  error instanceof LiteServerError &&
  (RATE_LIMIT_CODES.has(error.serverCode) || RATE_LIMIT_TEXT.test(error.serverMessage))

/** Label of the request counter. */
export function outcomeOf(error: unknown): string {
  if (error === undefined) return 'ok'
  if (error instanceof LiteServerError) return `error_${error.serverCode}`
  if (error instanceof QueryTimeout) return 'timeout'
  if (error instanceof TransportError) return 'transport'
  if (error instanceof WrongAnswer || error instanceof DecodeError) return 'wrong'
  return 'aborted'
}
