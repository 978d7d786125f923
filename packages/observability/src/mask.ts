const MASK = '***'
/** How names of secrets end, those of settings such as `PENDING_PUSH_SECRET` too. */
const NAME_END = '(?:api|access|private|secret|proxy)[_-]?(?:key|salt)|token|secret|password'
const SECRET_NAME = new RegExp(`(?:${NAME_END}|^seed|authorization|cookie)$`, 'i')
const NAMED_SECRET = new RegExp(`(${NAME_END})(["']?\\s*[=:]\\s*["']?)[^\\s&"',}]+`, 'gi')
const MAX_DEPTH = 6
/** Characters of a text that are kept: some of what is logged is untrusted. */
const MAX_TEXT = 8_192

/**
 * A copy suitable for logs. Values of secret names and secrets inside text (URL passwords, `api_key=`, bearer
 * tokens) are masked; bigints and bytes become text, errors `{ name, code, message, cause }`. Cycles, depth
 * and long texts are cut.
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

/** Masks secrets inside a text, of which the first 8,192 characters are kept. */
export const maskText = (text: string): string =>
  cutText(text)
    // Without the scheme: to look for one from each of its characters takes time with their square.
    .replace(/(:\/\/[^\s:/?#@]*):[^\s/?#]*@/g, `$1:${MASK}@`)
    .replace(NAMED_SECRET, `$1$2${MASK}`)
    .replace(/(authorization["']?\s*[=:]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',}]+/gi, `$1${MASK}`)
    .replace(/\bbearer\s+[^\s"',}]+/gi, `Bearer ${MASK}`)

/** The `@` ends the password of a URL whose own is cut off. */
const cutText = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}@... of ${text.length} characters` : text

function maskError(error: Error, depth: number): unknown {
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: maskText(error.message),
    ...(error.cause === undefined ? {} : { cause: maskSecrets(error.cause, depth + 1) }),
  }
}
