/** The file is invalid; the message names the place. */
export class TraceFileError extends Error {}

/**
 * One object of a file, read member by member. Invalid values are reported by path:
 * `transactions[3].messages[0].value`.
 */
export class Fields {
  private readonly members: Readonly<Record<string, unknown>>

  constructor(
    value: unknown,
    readonly path: string,
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new TraceFileError(`${path || 'the file'}: expected an object, found ${shown(value)}`)
    this.members = value as Record<string, unknown>
  }

  /** True when the member is present and neither null nor empty. */
  has(key: string): boolean {
    return this.members[key] != null && this.members[key] !== ''
  }

  keys(): string[] {
    return Object.keys(this.members)
  }

  object(key: string): Fields {
    return new Fields(this.members[key], this.place(key))
  }

  /** Empty when absent or null. */
  list(key: string): Fields[] {
    const value = this.members[key]
    if (value == null) return []
    if (!Array.isArray(value)) throw this.unfit(key, 'a list')
    return value.map((item, i) => new Fields(item, `${this.place(key)}[${i}]`))
  }

  text(key: string): string {
    const value = this.members[key]
    if (typeof value !== 'string' || value === '') throw this.unfit(key, 'a text')
    return value
  }

  textOrNull(key: string): string | null {
    return this.has(key) ? this.text(key) : null
  }

  /** A text inside an object of any shape. */
  looseText(key: string, inner: string): string | null {
    const value = (this.members[key] as Record<string, unknown> | null | undefined)?.[inner]
    return typeof value === 'string' ? value : null
  }

  texts(key: string): string[] {
    const value = this.members[key] ?? []
    if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
      throw this.unfit(key, 'a list of texts')
    return value
  }

  /** Raw form, in either case. */
  address(key: string): string {
    const value = this.members[key]
    if (typeof value !== 'string' || !isRawAddress(value))
      throw this.unfit(key, 'an address (workchain:64 hex digits)')
    return value.toUpperCase()
  }

  addressOrNull(key: string): string | null {
    return this.has(key) ? this.address(key) : null
  }

  /** A number, or its decimal or 0x text. */
  big(key: string): bigint {
    const value = this.members[key]
    if (typeof value === 'string' && /^(-?\d+|0x[0-9a-f]+)$/i.test(value)) return BigInt(value)
    if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
    throw this.unfit(key, 'an integer')
  }

  bigOrNull(key: string): bigint | null {
    return this.has(key) ? this.big(key) : null
  }

  int(key: string): number {
    const value = Number(this.big(key))
    if (!Number.isSafeInteger(value)) throw this.unfit(key, 'an integer below 2^53')
    return value
  }

  intOrNull(key: string): number | null {
    return this.has(key) ? this.int(key) : null
  }

  /** An opcode; databases store them signed. */
  uint32OrNull(key: string): number | null {
    const value = this.bigOrNull(key)
    if (value === null) return null
    if (value < -0x80000000n || value > 0xffffffffn) throw this.unfit(key, 'a number of 32 bits')
    return Number(BigInt.asUintN(32, value))
  }

  boolOrNull(key: string): boolean | null {
    const value = this.members[key] ?? null
    if (value !== null && typeof value !== 'boolean') throw this.unfit(key, 'true or false')
    return value
  }

  /** Base64. */
  bytesOrNull(key: string): Buffer | null {
    const value = this.textOrNull(key)
    if (value !== null && !/^[\w+/-]+={0,2}$/.test(value)) throw this.unfit(key, 'base64')
    return value === null ? null : Buffer.from(value, 'base64')
  }

  private place(key: string): string {
    return this.path ? `${this.path}.${key}` : key
  }

  private unfit(key: string, expected: string): TraceFileError {
    return new TraceFileError(`${this.place(key)}: expected ${expected}, found ${shown(this.members[key])}`)
  }
}

/** `workchain:hex`, in either case. */
export const isRawAddress = (text: string): boolean => /^-?\d{1,3}:[0-9a-f]{64}$/i.test(text)

const shown = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}

/**
 * Puts quotes around integers too long for a double, so that JSON.parse keeps their digits. Texts stay as
 * they are.
 */
export function quoteLongIntegers(json: string): string {
  if (!/[[:,]\s*-?\d{16,}\s*[\]},]/.test(json)) return json
  return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\w.+-])-?\d{16,}(?![\w.])/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  )
}
