import {
  type Constructor,
  type Field,
  type NumberExpr,
  parseTypeLine,
  type TypeExpr,
  typeNameOf,
} from '../bodies/schema/grammar.ts'
import { type BodySlice, NO_FIT } from './body-slice.ts'
import type { DecodeContext } from './context.ts'
import type { Json, JsonObject } from './json.ts'
import { printAddress, printAmount, printCurrencies, printDict, printVarUint } from './print.ts'

/** Value of a type parameter: a number, or a type bound to the scope it was written in. */
type Argument = number | BoundReader
type BoundReader = (slice: BodySlice) => Json

/** What a field may refer to while a constructor is being read. */
interface Scope {
  readonly context: DecodeContext
  readonly numbers: Map<string, number>
  readonly types: Map<string, BoundReader>
}

type Reader = (slice: BodySlice, scope: Scope) => Json
type TypeReader = (slice: BodySlice, context: DecodeContext, args: readonly Argument[]) => Json

/** Reads one value of a type or one body; throws `NO_FIT` when the cells do not have that layout. */
export type BodyReader = (slice: BodySlice, context: DecodeContext) => JsonObject

/**
 * Types by name. A type is parsed and compiled when it is first used, because a process uses few of them and
 * types are recursive.
 */
export class TypeTable {
  private readonly rows: ReadonlyMap<string, string>
  private readonly parsed = new Map<string, readonly Constructor[]>()
  private readonly compiled = new Map<string, TypeReader>()

  /** `rows`: of the type table. */
  constructor(rows: readonly string[]) {
    this.rows = new Map(rows.map((row) => [typeNameOf(row), row]))
  }

  /** Alternatives of a type; none for a type parameter. */
  constructorsOf(name: string): readonly Constructor[] {
    const known = this.parsed.get(name)
    if (known) return known
    const row = this.rows.get(name)
    const constructors = row === undefined ? [] : parseTypeLine(row)
    this.parsed.set(name, constructors)
    return constructors
  }

  /** Reader of a type with numeric parameters. Throws `TypeError` for an unknown name. */
  reader(name: string, args: readonly number[] = []): BodyReader {
    const read = this.type(name)
    return (slice, context) => read(slice, context, args) as JsonObject
  }

  /** Reader of a body whose tag (if any) has been consumed, compiled on first use. */
  body(declared: Constructor): BodyReader {
    let read: ReturnType<TypeTable['fieldsReader']> | undefined
    return (slice, context) => {
      read ??= this.fieldsReader(declared.fields)
      const object: JsonObject = { '@type': declared.name }
      read(slice, { context, numbers: new Map(), types: new Map() }, object)
      return object
    }
  }

  private type(name: string): TypeReader {
    const known = this.compiled.get(name)
    if (known) return known
    const source = this.constructorsOf(name)
    if (source.length === 0) throw new TypeError(`type ${name} is not declared`)
    let alternatives: readonly { readonly tag: Constructor['tag']; readonly read: TypeReader }[] = []
    const only = source.length === 1
    const read: TypeReader = (slice, context, args) => {
      if (only) return (alternatives[0] as (typeof alternatives)[0]).read(slice, context, args)
      const start = slice.mark()
      for (const alternative of alternatives) {
        // Most of them end here, without the cost of an exception.
        if (!slice.begins(alternative.tag)) continue
        const value = attempt(() => alternative.read(slice, context, args))
        if (value !== undefined) return value
        slice.reset(start)
      }
      throw NO_FIT
    }
    this.compiled.set(name, read)
    alternatives = source.map((declared) => ({ tag: declared.tag, read: this.alternative(declared) }))
    return read
  }

  private alternative({ tag, name, fields, params }: Constructor): TypeReader {
    const readFields = this.fieldsReader(fields)
    return (slice, context, args) => {
      const scope: Scope = { context, numbers: new Map(), types: new Map() }
      for (const [i, param] of params.entries()) bind(param, args[i], scope)
      if (tag.bits > 0 && slice.uint(tag.bits) !== tag.value) throw NO_FIT
      const object: JsonObject = name === '' ? {} : { '@type': name }
      readFields(slice, scope, object)
      return object
    }
  }

  private fieldsReader(fields: readonly Field[]): (slice: BodySlice, scope: Scope, into: JsonObject) => void {
    const readers = fields.map((field) => ({
      ...field,
      read: this.compile(field.type),
      isNumber: field.type.kind === 'uint',
    }))
    return (slice, scope, into) => {
      scope.context.spend(readers.length)
      for (const { name, read, condition, isNumber } of readers) {
        if (condition) {
          const number = scope.numbers.get(condition.field) ?? 0
          if (condition.bit === undefined ? number === 0 : ((number >> condition.bit) & 1) === 0) continue
        }
        const value = read(slice, scope)
        into[name] = value
        if (isNumber) scope.numbers.set(name, Number(value))
      }
    }
  }

  private compile(type: TypeExpr): Reader {
    switch (type.kind) {
      case 'maybe':
        return this.maybe(type.of)
      case 'either':
        return this.either(type.left, type.right)
      case 'ref':
        return this.reference(type.of)
      case 'record':
        return this.record(type.fields)
      case 'dict':
        return this.dict(type)
      case 'named':
        return this.named(type.name, type.args)
      default:
        return leafReader(type)
    }
  }

  /**
   * A typed reference that is not a field of its own is printed inside `cell_reference`; an untyped one never
   * is.
   */
  private nested(type: TypeExpr): Reader {
    const read = this.compile(type)
    return type.kind === 'ref' ? (slice, scope) => ({ cell_reference: read(slice, scope) }) : read
  }

  private maybe(of: TypeExpr): Reader {
    const read = this.nested(of)
    return (slice, scope): Json =>
      slice.bit()
        ? { '@type': 'something_from_maybe', value: read(slice, scope) }
        : { '@type': 'nothing_from_maybe' }
  }

  private either(left: TypeExpr, right: TypeExpr): Reader {
    const first = this.nested(left)
    const second = this.nested(right)
    return (slice, scope) =>
      slice.bit()
        ? { '@type': 'second_from_either', value: second(slice, scope) }
        : { '@type': 'first_from_either', value: first(slice, scope) }
  }

  private reference(of: TypeExpr): Reader {
    const read = this.compile(of)
    return (slice, scope) => scope.context.inside(slice.ref(), (inner) => read(inner, scope))
  }

  private record(fields: readonly Field[]): Reader {
    const read = this.fieldsReader(fields)
    return (slice, scope) => {
      const object: JsonObject = {}
      read(slice, { ...scope, numbers: new Map(scope.numbers) }, object)
      return object
    }
  }

  private dict({ keyBits, of, isBare }: Extract<TypeExpr, { kind: 'dict' }>): Reader {
    const read = this.nested(of)
    return (slice, scope) =>
      printDict(slice, scope.context, { keyBits, isBare, value: (leaf) => read(leaf, scope) })
  }

  private named(name: string, args: readonly (NumberExpr | TypeExpr)[]): Reader {
    if (!this.rows.has(name) && /^[A-Z]$/.test(name))
      return (slice, scope) => (scope.types.get(name) as BoundReader)(slice)
    const values = args.map((arg) => ('kind' in arg ? this.nested(arg) : arg))
    const read = this.type(name)
    return (slice, scope) =>
      read(
        slice,
        scope.context,
        values.map((value) =>
          typeof value === 'function' ? (inner: BodySlice) => value(inner, scope) : evaluate(value, scope),
        ),
      )
  }
}

type Composed = 'maybe' | 'either' | 'ref' | 'record' | 'dict' | 'named'

/** Reader of a type that contains no other type of the table. */
function leafReader(type: Exclude<TypeExpr, { readonly kind: Composed }>): Reader {
  switch (type.kind) {
    case 'uint':
      return (slice) => (type.size <= 48 ? String(slice.uint(type.size)) : String(slice.big(type.size)))
    case 'int':
      return (slice) => String(BigInt.asIntN(type.size, slice.big(type.size)))
    case 'varuint':
      return (slice) => printVarUint(slice, type.size)
    case 'bits':
      return (slice, scope) => slice.hex(evaluate(type.size, scope))
    case 'bool':
      return (slice) => slice.bit()
    case 'addr':
    case 'addrInt':
    case 'addrExt': {
      const { kind } = type
      return (slice) => printAddress(slice, kind)
    }
    case 'coins':
    case 'grams': {
      const { kind } = type
      return (slice) => printAmount(slice, kind)
    }
    case 'currencies':
      return (slice, scope) => printCurrencies(slice, scope.context)
    case 'snake':
      return (slice, { context }) => context.text(slice.snake((bits) => context.spend(1 + (bits >> 6))))
    case 'never':
      return () => {
        throw NO_FIT
      }
    case 'cell':
      return (slice, scope) => scope.context.embedded(slice.ref())
    case 'rest':
      return (slice, scope) => scope.context.embedded(slice.rest())
  }
}

/** Result of the reader; undefined when the layout does not fit. Other errors are rethrown. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error === NO_FIT) return undefined
    throw error
  }
}

function bind(param: NumberExpr, argument: Argument | undefined, scope: Scope): void {
  if (typeof argument === 'function') scope.types.set(param.name as string, argument)
  else if (argument === undefined) throw NO_FIT
  else if (param.name === undefined) {
    if (argument !== param.addend) throw NO_FIT
  } else if (argument < param.addend) throw NO_FIT
  else scope.numbers.set(param.name, argument - param.addend)
}

function evaluate({ name, factor, addend }: NumberExpr, scope: Scope): number {
  return name === undefined ? addend : (scope.numbers.get(name) ?? 0) * factor + addend
}
