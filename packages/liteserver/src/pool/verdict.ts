import { DecodeError } from '@shardwalk/model'
import type { LiteFunctionName } from '@shardwalk/tl'
import { LiteServerError, QueryTimeout, TransportError, WrongAnswer } from '../errors.ts'

/**
 * What to do after a failed attempt.
 * `fail`: the caller's business. `other`: next server, later again. `older`: archive servers first; final when none is left.
 * `wait`: the block is not there yet, ask again shortly.
 */
export type Verdict = 'fail' | 'other' | 'older' | 'wait'

export interface Attempt {
  readonly method: LiteFunctionName
  /** Masterchain block the answer depends on, if the query tells. */
  readonly mcBlockSeqno: number | undefined
  readonly serverHead: number | undefined
}

export const NOT_FOUND_CODES: ReadonlySet<number> = new Set([651, 602])
/** Rate limits and gateway errors of commercial proxies: ask this server for less. */
const SLOW_DOWN: ReadonlySet<number> = new Set([228, 429, 502])

/** -400 on these often means that the server no longer keeps what is asked. */
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

/** Errors of other origin than a lite server are the caller's. */
export function verdictOn(error: unknown, attempt: Attempt): Verdict {
  if (error instanceof LiteServerError) return verdictOnCode(error.serverCode, attempt)
  const elsewhere = [TransportError, QueryTimeout, WrongAnswer, DecodeError].some(
    (kind) => error instanceof kind,
  )
  return elsewhere ? 'other' : 'fail'
}

function verdictOnCode(code: number, { method, mcBlockSeqno, serverHead }: Attempt): Verdict {
  if (code === 651) return mcBlockSeqno !== undefined && mcBlockSeqno > (serverHead ?? 0) ? 'wait' : 'older'
  if (code === 602) return 'older'
  if (code === -400) return HISTORY.has(method) ? 'older' : 'fail'
  // Code 0 carries the reason why a message is not accepted: another server would say the same.
  if (code === 0 || code === -1) return method === 'liteServer.sendMessage' ? 'fail' : 'other'
  return 'other'
}

/** The server lacks the function: remember it, ask it nothing of the kind again. */
export const isUnknownFunction = (error: unknown): boolean =>
  error instanceof LiteServerError &&
  (error.serverCode === 621 ||
    (error.serverCode === 0 && error.serverMessage.startsWith('Unknown constructor')))

export const asksForLess = (error: unknown): boolean =>
  error instanceof QueryTimeout || (error instanceof LiteServerError && SLOW_DOWN.has(error.serverCode))

/** Label of the request counter. */
export function outcomeOf(error: unknown): string {
  if (error === undefined) return 'ok'
  if (error instanceof LiteServerError) return `error_${error.serverCode}`
  if (error instanceof QueryTimeout) return 'timeout'
  if (error instanceof TransportError) return 'transport'
  if (error instanceof WrongAnswer || error instanceof DecodeError) return 'wrong'
  return 'aborted'
}
