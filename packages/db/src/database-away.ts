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
  'ENETRESET',
  'ENOTCONN',
  'EPROTO',
  'ENOTFOUND',
  'ENOENT',
  'EAI_AGAIN',
  // This process may not open another connection.
  'EMFILE',
  'ENFILE',
  'database_silent',
  'database_is_standby',
])
/**
 * System calls that only make connections. Whatever fails there, for want of ports (EADDRNOTAVAIL) or memory
 * (ENOBUFS), or of the right to use a socket (EACCES), there is no connection.
 */
const CONNECTING = new Set(['connect', 'getaddrinfo'])
/** True if a connection could not be made, whatever the reason. */
export function isOfConnecting(error: unknown): boolean {
  // A name with several addresses fails with an AggregateError.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const { syscall } = (first ?? {}) as NodeJS.ErrnoException
  return syscall !== undefined && CONNECTING.has(syscall)
}
/** Codes of Node for a certificate that cannot be trusted, any more for example. */
const UNTRUSTED = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/
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
  if (isOfConnecting(error)) return true
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === 'string' && (AWAY.test(code) || CODES.has(code) || UNTRUSTED.test(code))) return true
  return error instanceof Error && TEXTS.some((text) => error.message.startsWith(text))
}

/**
 * True if there is no connection: the server is unavailable, or refuses the user, for example because the
 * password was changed. PostgreSQL calls errors fatal that end the connection.
 */
export const hasNoConnection = (error: unknown): boolean =>
  isDatabaseAway(error) ||
  (!isArchiveAway(error) && (error as { severity?: unknown } | null)?.severity === 'FATAL')

const EXHAUSTED: ReadonlyMap<unknown, 'disk space' | 'memory'> = new Map([
  ['53100', 'disk space'],
  ['53200', 'memory'],
])

/**
 * What the server had not enough of for a statement: SQLSTATE disk_full, out_of_memory. Undefined for other
 * errors. Statements that need less may succeed meanwhile.
 */
export const exhaustedBy = (error: unknown): 'disk space' | 'memory' | undefined =>
  EXHAUSTED.get((error as { code?: unknown } | null)?.code)
