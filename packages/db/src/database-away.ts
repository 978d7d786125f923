import { isArchiveAway } from './writing/archived-rows.ts'

/**
 * SQLSTATE of connection exceptions, shutdown and start of the server, too many connections, recovery
 * conflicts.
 */
const AWAY = /^(08...|57P0[1-5]|53300|40001)$/
const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'ENOENT',
  'EAI_AGAIN',
  'database_silent',
])
/** Messages of `pg` for a lost connection and for a pool without free connections, which carry no code. */
const TEXTS = [
  'Connection terminated',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
]

/**
 * True if the server is unavailable for now: it was stopped, is restarting, or has no connections left. False
 * if only an archive server is.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (isArchiveAway(error)) return false
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === 'string' && (AWAY.test(code) || CODES.has(code))) return true
  return error instanceof Error && TEXTS.some((text) => error.message.startsWith(text))
}
