const MASK = '***'
const SECRET_NAME =
  /^((?:x-)?api[_-]?key|token|access[_-]?token|authorization|password|secret|private[_-]?key|seed|cookie)$/i
const MAX_DEPTH = 6

/**
 * A copy suitable for logs. Values of secret names and secrets inside text (URL passwords, `api_key=`, bearer
 * tokens) are masked; bigints and bytes become text, errors `{ name, code, message, cause }`. Cycles and
 * depth are cut.
 */
export function maskSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskText(value)
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? undefined : value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (value instanceof Date) return value.toISOString()
  if (depth >= MAX_DEPTH) return '...'
  if (value instanceof Error) return maskError(value, depth)
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, depth + 1))
  if (value instanceof URL) return maskText(value.href)
  const entries = value instanceof Map ? [...value.entries()] : Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      String(key),
      SECRET_NAME.test(String(key)) && inner !== undefined && inner !== null && inner !== ''
        ? MASK
        : maskSecrets(inner, depth + 1),
    ]),
  )
}

/** Masks secrets inside a text. */
export const maskText = (text: string): string =>
  text
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/?#@]*):[^\s/?#]*@/gi, `$1:${MASK}@`)
    .replace(/\b(api[_-]?key|x-api-key|token|password)(["']?\s*[=:]\s*["']?)[^\s&"',}]+/gi, `$1$2${MASK}`)
    .replace(/\b(authorization["']?\s*[=:]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',}]+/gi, `$1${MASK}`)
    .replace(/\bbearer\s+[^\s"',}]+/gi, `Bearer ${MASK}`)

function maskError(error: Error, depth: number): unknown {
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: maskText(error.message),
    ...(error.cause === undefined ? {} : { cause: maskSecrets(error.cause, depth + 1) }),
  }
}
