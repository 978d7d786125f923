/**
 * Rows for `jsonb_populate_recordset`. NUL characters, which contracts may return and jsonb cannot hold, are
 * removed.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, given) {
    // Buffer has its own toJSON, which has already run.
    const original = this[key]
    if (Buffer.isBuffer(original)) return `\\x${original.toString('hex')}`
    if (typeof given === 'bigint') return String(given)
    return typeof given === 'string' ? given.replaceAll('\0', '') : given
  })
}
