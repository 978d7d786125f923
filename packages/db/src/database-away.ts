/**
 * SQLSTATE: connection exceptions, shutdowns and start-ups of the server, too many connections, recovery
 * conflicts.
 */
const AWAY = /^(08...|57P0[1-5]|53300|40001)$/
const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ENOENT',
  'EAI_AGAIN',
  'database_silent',
])
/** Texts of `pg` for a lost connection and for a pool that has none to give; they carry no code. */
const TEXTS =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error)/

/**
 * True when the server is not there now, and may be soon: it was ended, starts again, or has no connection to
 * give.
 */
export function isDatabaseAway(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === 'string' && (AWAY.test(code) || CODES.has(code))) return true
  return error instanceof Error && TEXTS.test(error.message)
}
