/** Like `JSON.parse`, but integers beyond 2^53 become bigints. */
export type ExactJson =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson }

/** Maximum nesting of request bodies; deeper ones are rejected. */
const MAX_DEPTH = 2048

/** Converting digits takes quadratic time, and no parameter has more than 80. */
const MAX_NUMBER_LENGTH = 512

/** Parses JSON text. Throws `SyntaxError` on invalid JSON, nesting deeper than 2048 and longer numbers. */
export function parseExactJson(text: string): ExactJson {
  const reader = new Reader(text)
  const value = reader.value(0)
  reader.expectEnd()
  return value
}

const LITERALS: readonly (readonly [string, ExactJson])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

class Reader {
  private at = 0

  constructor(private readonly text: string) {}

  value(depth: number): ExactJson {
    if (depth > MAX_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_DEPTH}`)
    this.skipSpace()
    const first = this.text[this.at]
    if (first === '{') return this.object(depth)
    if (first === '[') return this.array(depth)
    if (first === '"') return this.string()
    for (const [word, value] of LITERALS)
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return value
      }
    return this.number()
  }

  expectEnd(): void {
    this.skipSpace()
    if (this.at < this.text.length) this.fail()
  }

  private object(depth: number): ExactJson {
    const members: [string, ExactJson][] = []
    for (let more = this.open('}'); more; more = this.next('}')) {
      this.skipSpace()
      if (this.text[this.at] !== '"') this.fail()
      const key = this.string()
      this.skipSpace()
      if (this.text[this.at++] !== ':') this.fail()
      members.push([key, this.value(depth + 1)])
    }
    // fromEntries defines own properties, including `__proto__`.
    return Object.fromEntries(members)
  }

  private array(depth: number): ExactJson {
    const items: ExactJson[] = []
    for (let more = this.open(']'); more; more = this.next(']')) items.push(this.value(depth + 1))
    return items
  }

  /** Skips the opening bracket; returns whether anything precedes the closing one. */
  private open(end: string): boolean {
    this.at++
    this.skipSpace()
    if (this.text[this.at] !== end) return true
    this.at++
    return false
  }

  /** Skips what follows an item; returns whether there is another one. */
  private next(end: string): boolean {
    this.skipSpace()
    const found = this.text[this.at++]
    if (found !== end && found !== ',') this.fail()
    return found === ','
  }

  private string(): string {
    const start = this.at++
    for (;;) {
      const char = this.text[this.at++]
      if (char === undefined) this.fail()
      if (char === '\\') this.at++
      else if (char === '"') return JSON.parse(this.text.slice(start, this.at)) as string
    }
  }

  private number(): number | bigint {
    const pattern = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)
    if (!match) return this.fail()
    this.at += match[0].length
    if (match[0].length > MAX_NUMBER_LENGTH)
      throw new SyntaxError(`a number of ${match[0].length} characters, at most ${MAX_NUMBER_LENGTH}`)
    const value = Number(match[0])
    return match[1] === undefined && match[2] === undefined && !Number.isSafeInteger(value)
      ? BigInt(match[0])
      : value
  }

  private skipSpace(): void {
    while (' \t\n\r'.includes(this.text[this.at] ?? 'x')) this.at++
  }

  private fail(): never {
    throw new SyntaxError(`unexpected text at position ${this.at}`)
  }
}
