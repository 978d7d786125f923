/** Rows for `jsonb_populate_recordset`. jsonb has no NUL characters; contracts may give some. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, given) {
    // Buffer has a toJSON of its own, which ran before.
    const original = this[key]
    if (Buffer.isBuffer(original)) return `\\x${original.toString('hex')}`
    if (typeof given === 'bigint') return String(given)
    return typeof given === 'string' ? given.replaceAll('\0', '') : given
  })
}
