/**
 * A number known when a body is read: a literal, or a parameter or earlier field, multiplied and added to.
 */
export interface NumberExpr {
  readonly name?: string
  readonly factor: number
  readonly addend: number
}

/** Type of a field, as written behind its colon. */
export type TypeExpr =
  | { readonly kind: 'uint' | 'int' | 'varuint'; readonly size: number }
  | { readonly kind: 'bits'; readonly size: NumberExpr }
  | {
      readonly kind:
        | 'bool'
        | 'addr'
        | 'addrInt'
        | 'addrExt'
        | 'coins'
        | 'grams'
        | 'cell'
        | 'rest'
        | 'snake'
        | 'currencies'
        | 'never'
    }
  | { readonly kind: 'maybe' | 'ref'; readonly of: TypeExpr }
  | { readonly kind: 'either'; readonly left: TypeExpr; readonly right: TypeExpr }
  | { readonly kind: 'dict'; readonly keyBits: number; readonly of: TypeExpr; readonly isBare: boolean }
  | {
      readonly kind: 'named'
      readonly name: string
      readonly args: readonly (NumberExpr | TypeExpr)[]
    }
  | { readonly kind: 'record'; readonly fields: readonly Field[] }

/** A field of a constructor, in the order of its bits. */
export interface Field {
  /** Empty for an unnamed field. */
  readonly name: string
  readonly type: TypeExpr
  /** The field is present only if this earlier number is not zero, or has this bit set. */
  readonly condition?: { readonly field: string; readonly bit?: number }
}

/** `value` is written in hex in the table; `bits` is 0 when there is no tag. */
export interface Tag {
  readonly value: number
  readonly bits: number
}

/** A line of the schema: `name#tag field:type ... = Type`. */
export interface Constructor {
  readonly tag: Tag
  /** Empty when the value is printed without `@type`. */
  readonly name: string
  readonly fields: readonly Field[]
  /**
   * Parameters: a type variable, a number that must match, or `name + addend`, which binds `name` to the
   * argument minus the addend.
   */
  readonly params: readonly NumberExpr[]
}

const PRIMITIVES: ReadonlyMap<string, TypeExpr> = new Map([
  ['bool', { kind: 'bool' }],
  ['addr', { kind: 'addr' }],
  ['addrInt', { kind: 'addrInt' }],
  ['addrExt', { kind: 'addrExt' }],
  ['coins', { kind: 'coins' }],
  ['grams', { kind: 'grams' }],
  ['cell', { kind: 'cell' }],
  ['rest', { kind: 'rest' }],
  ['SnakeString', { kind: 'snake' }],
  ['CurrencyCollection', { kind: 'currencies' }],
  ['JustRandomSalt', { kind: 'never' }],
])

/**
 * A row of a body table, `tag name{fields}`. Its fields are parsed when they are asked for, because a process
 * uses few rows. Throws `SyntaxError` that quotes the row.
 */
export function parseBodyLine(line: string): Constructor {
  const space = line.indexOf(' ')
  const [hex, bits] = line.slice(0, space).split('/')
  const tag: Tag =
    hex === '-'
      ? { value: 0, bits: 0 }
      : { value: Number.parseInt(hex as string, 16), bits: Number(bits ?? 32) }
  return new BodyLine(tag, line, space + 1)
}

class BodyLine implements Constructor {
  readonly params = []
  readonly name: string
  private parsed: readonly Field[] | undefined

  constructor(
    readonly tag: Tag,
    private readonly line: string,
    private readonly start: number,
  ) {
    this.name = new Parser(line, start).name()
  }

  get fields(): readonly Field[] {
    this.parsed ??= new Parser(this.line, this.start + this.name.length).fields()
    return this.parsed
  }
}

/** Of a row of the type table, `Name = alternative | alternative`. */
export const typeNameOf = (line: string): string => line.slice(0, line.indexOf(' = '))

/** Alternatives of a row of the type table. Throws `SyntaxError` that quotes the row. */
export function parseTypeLine(line: string): readonly Constructor[] {
  const parser = new Parser(line, typeNameOf(line).length + ' = '.length)
  const constructors = [parser.alternative()]
  while (parser.take(' | ')) constructors.push(parser.alternative())
  parser.end()
  return constructors
}

class Parser {
  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  alternative(): Constructor {
    let params: NumberExpr[] = []
    const head = this.match(/\[([^\]]+)\] /y)
    if (head) {
      const inside = head[1] as string
      params = (inside.includes('+') ? [inside] : inside.split(' ')).map(parseNumber)
    }
    const binary = this.match(/0b([01]+):/y)
    const hex = binary ? undefined : this.match(/([0-9a-f]+):/y)
    let tag: Tag = { value: 0, bits: 0 }
    if (binary) tag = { value: Number.parseInt(binary[1] as string, 2), bits: (binary[1] as string).length }
    if (hex) tag = { value: Number.parseInt(hex[1] as string, 16), bits: (hex[1] as string).length * 4 }
    return { tag, params, name: this.name(), fields: this.fields() }
  }

  name(): string {
    return this.match(/[^{ ]*/y)?.[0] ?? ''
  }

  fields(): Field[] {
    const fields: Field[] = []
    this.expect('{')
    while (!this.take('}')) {
      if (fields.length > 0) this.expect(', ')
      fields.push(this.field())
    }
    return fields
  }

  private field(): Field {
    const name = this.need(/("")|(\w+)/y, 'a field name')
    this.expect(' ')
    const type = this.type()
    const condition = this.match(/@if\((\w+)(?:\.(\d+))?\)/y)
    const plain = { name: name[2] ?? '', type }
    if (!condition) return plain
    const bit = condition[2]
    return {
      ...plain,
      condition: { field: condition[1] as string, ...(bit === undefined ? {} : { bit: Number(bit) }) },
    }
  }

  private type(): TypeExpr {
    let type = this.unary()
    while (this.take('?')) type = { kind: 'maybe', of: type }
    return type
  }

  private unary(): TypeExpr {
    if (this.take('^')) return { kind: 'ref', of: this.unary() }
    if (this.text[this.at] === '{') return { kind: 'record', fields: this.fields() }
    if (this.take('(')) {
      const left = this.type()
      this.expect(' | ')
      const right = this.type()
      this.expect(')')
      return { kind: 'either', left, right }
    }
    return this.word()
  }

  private word(): TypeExpr {
    const computed = this.match(/b\(([^)]*)\)/y)
    if (computed) return { kind: 'bits', size: parseNumber(computed[1] as string) }
    const sized = this.match(/(vu|u|i|b)(\d+)\b/y)
    if (sized) return sizedType(sized[1] as string, Number(sized[2]))
    const dict = this.match(/(dict|dictRoot)<(\d+),/y)
    if (dict) {
      const of = this.type()
      this.expect('>')
      return { kind: 'dict', keyBits: Number(dict[2]), of, isBare: dict[1] === 'dictRoot' }
    }
    const name = this.need(/\w+/y, 'a type')[0]
    return PRIMITIVES.get(name) ?? { kind: 'named', name, args: this.args() }
  }

  private args(): (NumberExpr | TypeExpr)[] {
    const args: (NumberExpr | TypeExpr)[] = []
    if (!this.take('<')) return args
    do {
      const number = this.match(/[a-z]\w*(?: \+ \d+)?(?=[,>])(?<!rest)/y)
      args.push(number ? parseNumber(number[0]) : this.type())
    } while (this.take(','))
    this.expect('>')
    return args
  }

  take(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false
    this.at += text.length
    return true
  }

  end(): void {
    if (this.at !== this.text.length) this.fail('end of line')
  }

  private expect(text: string): void {
    if (!this.take(text)) this.fail(JSON.stringify(text))
  }

  private need(pattern: RegExp, what: string): RegExpExecArray {
    return this.match(pattern) ?? this.fail(what)
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (!found) return undefined
    this.at += found[0].length
    return found
  }

  private fail(wanted: string): never {
    throw new SyntaxError(`expected ${wanted} at ${this.at} of: ${this.text}`)
  }
}

function sizedType(letter: string, size: number): TypeExpr {
  if (letter === 'b') return { kind: 'bits', size: { factor: 0, addend: size } }
  return { kind: letter === 'u' ? 'uint' : letter === 'i' ? 'int' : 'varuint', size }
}

/** Examples: `7`, `n`, `n + 1`, `len * 8`. */
function parseNumber(text: string): NumberExpr {
  if (/^\d+$/.test(text)) return { factor: 0, addend: Number(text) }
  const [name, operator, operand] = text.split(' ') as [string, string?, string?]
  if (operator === '*') return { name, factor: Number(operand), addend: 0 }
  return { name, factor: 1, addend: Number(operand ?? 0) }
}
