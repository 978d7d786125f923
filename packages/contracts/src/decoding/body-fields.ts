import type { Cell, Slice } from '@shardwalk/cells'
import { loadAddressText } from '../bodies/address-text.ts'
import type { Constructor, Field, TypeExpr } from '../bodies/schema/grammar.ts'
import { bodyNamed, dataNamed, payloadNamed, types } from './constructors.ts'
import { lengthBits, Skipping } from './skipping.ts'

/** How a field is read, with the types of the schema that can be read so. */
const LEAVES = {
  /** Raw form, `workchain:64 upper-case hex`; null for everything but `addr_std`. */
  address: { kinds: ['addr', 'addrInt', 'addrExt'], read: () => loadAddressText },
  amount: {
    kinds: ['coins', 'grams', 'varuint', 'currencies'],
    read: (type) => (slice) => slice.loadVarUint(lengthBits(type.size)),
  },
  /** Up to 48 bits. */
  number: {
    kinds: ['uint', 'int'],
    read:
      ({ kind, size }) =>
      (slice) => {
        if (size <= 32) return kind === 'int' ? slice.loadInt(size) : slice.loadUint(size)
        return Number(kind === 'int' ? slice.loadIntBig(size) : slice.loadUintBig(size))
      },
  },
  bigint: {
    kinds: ['uint', 'int'],
    read:
      ({ kind, size }) =>
      (slice) =>
        kind === 'int' ? slice.loadIntBig(size) : slice.loadUintBig(size),
  },
  bool: { kinds: ['bool'], read: () => (slice) => slice.loadBit() },
  /** 256 bits. */
  hash: { kinds: ['uint', 'bits'], read: () => (slice) => slice.loadBytes(32) },
  cell: { kinds: ['cell', 'ref'], read: () => (slice) => slice.loadRefCell() },
} as const satisfies Record<string, Leaf>

interface Leaf {
  readonly kinds: readonly TypeExpr['kind'][]
  readonly read: (type: Sized) => (slice: Slice) => unknown
}

/** `size`: bits of a number, n of `VarUInteger n`; 16 for Coins. */
interface Sized {
  readonly kind: TypeExpr['kind']
  readonly size: number
}

/** What one field is read as; a function takes the reader where the field begins and must read it whole. */
export type FieldForm = keyof typeof LEAVES | ((slice: Slice) => unknown) | Optional<Shape> | Shape
/** Fields to read, by their names in the layout; others are skipped. */
export interface Shape {
  readonly [field: string]: FieldForm
}

interface Leaves {
  readonly address: string | null
  readonly amount: bigint
  readonly number: number
  readonly bigint: bigint
  readonly bool: boolean
  readonly hash: Buffer
  readonly cell: Cell
}

type Value<W> = W extends keyof Leaves
  ? Leaves[W]
  : W extends (slice: Slice) => infer T
    ? T
    : W extends Optional<infer S>
      ? Fields<S> | undefined
      : Fields<W>
/** Values that are read for the forms. */
export type Fields<S> = { readonly [name in keyof S]: Value<S[name]> }

/** Reads the selected fields after the opcode. Throws DecodeError when the body ends before the last one. */
export type BodyFields<S> = (body: Slice) => Fields<S>

class Optional<S> {
  constructor(readonly shape: S) {}
}

/** Fields behind a `Maybe`. */
export const optional = <const S extends Shape>(shape: S): Optional<S> => new Optional(shape)

/**
 * A typed reader of the body that the schema lays out under this name. It reads as far as the last wanted
 * field and no further, so a body may be damaged behind it. Fields of a record without a name count as those
 * of the body. Throws TypeError when the schema has no such body or field, or one of another type.
 */
export const bodyFields = <const S extends Shape>(name: string, shape: S): BodyFields<S> =>
  compile(bodyNamed(name), shape) as BodyFields<S>

/** The same for a forward payload, which may share its name with a body. */
export const payloadFields = <const S extends Shape>(name: string, shape: S): BodyFields<S> =>
  compile(payloadNamed(name), shape) as BodyFields<S>

/** The same for the data cell of a contract. */
export const dataFields = <const S extends Shape>(name: string, shape: S): BodyFields<S> =>
  compile(dataNamed(name), shape) as BodyFields<S>

/** The same for a type of the schema that has one constructor. */
export function typeFields<const S extends Shape>(name: string, shape: S): BodyFields<S> {
  const [only, ...others] = types.constructorsOf(name)
  if (!only || others.length > 0) throw new TypeError(`${name} is no type with one constructor`)
  return compile(only, shape) as BodyFields<S>
}

type Step = (slice: Slice, into: Record<string, unknown>) => void

function compile(declared: Constructor, shape: Shape): (slice: Slice) => Record<string, unknown> {
  return recordReader(stepsOf(declared.fields, shape, declared.name).steps)
}

const recordReader =
  (steps: readonly Step[]) =>
  (slice: Slice): Record<string, unknown> => {
    const fields: Record<string, unknown> = {}
    for (const step of steps) step(slice, fields)
    return fields
  }

/** `rest`: what stands behind the last wanted field, to be passed over if something after it is wanted. */
interface Steps {
  readonly steps: readonly Step[]
  readonly rest: Skipping
}

function stepsOf(fields: readonly Field[], shape: Shape, where: string): Steps {
  const wanted = new Map(Object.entries(shape))
  const found = findSteps(fields, wanted, where)
  if (wanted.size > 0) throw new TypeError(`${where} has no ${[...wanted.keys()].join(', ')}`)
  return found
}

/** Takes what it finds out of `wanted`. */
function findSteps(fields: readonly Field[], wanted: Map<string, FieldForm>, where: string): Steps {
  const steps: Step[] = []
  let rest = new Skipping(types)
  for (const { name, type, condition } of fields) {
    const inner = name === '' ? recordIn(type) : undefined
    const want = wanted.get(name)
    if (inner?.some((field) => wanted.has(field.name))) {
      steps.push(...rest.flush())
      const found = findSteps(inner, wanted, where)
      steps.push(...inside(type, found.steps))
      if (type.kind !== 'ref') rest = found.rest
    } else if (want === undefined || condition)
      rest.add(condition ? { kind: 'rest' } : type, `${where}.${name}`)
    else {
      wanted.delete(name)
      steps.push(...rest.flush())
      const field = fieldReader(type, want, `${where}.${name}`)
      steps.push((slice, into) => {
        into[name] = field.read(slice)
      })
      rest = field.rest
    }
  }
  return { steps, rest }
}

const inside = (type: TypeExpr, steps: readonly Step[]): readonly Step[] =>
  type.kind !== 'ref'
    ? steps
    : [
        (slice, into) => {
          const inner = slice.loadRefSlice()
          for (const step of steps) step(inner, into)
        },
      ]

interface FieldReader {
  readonly read: (slice: Slice) => unknown
  readonly rest: Skipping
}

function fieldReader(type: TypeExpr, want: FieldForm, where: string): FieldReader {
  const nothing = new Skipping(types)
  if (typeof want === 'function') return { read: want, rest: nothing }
  if (typeof want === 'string') {
    // Reads nanotons; extra currencies follow.
    if (type.kind === 'currencies') nothing.add(EXTRA_CURRENCIES, where)
    return { read: leafOf(type, want, where), rest: nothing }
  }
  if (want instanceof Optional) {
    if (type.kind !== 'maybe' || type.of.kind !== 'ref')
      throw new TypeError(`${where} is no optional reference`)
    const { read } = fieldReader(type.of, want.shape as Shape, where)
    return { read: (slice) => (slice.loadBit() ? read(slice) : undefined), rest: nothing }
  }
  const fields = recordIn(type)
  if (!fields) throw new TypeError(`${where} has no fields`)
  const { steps, rest } = stepsOf(fields, want, where)
  return { read: recordReader(inside(type, steps)), rest: type.kind === 'ref' ? nothing : rest }
}

const EXTRA_CURRENCIES: TypeExpr = {
  kind: 'dict',
  keyBits: 32,
  of: { kind: 'varuint', size: 32 },
  isBare: false,
}

function leafOf(type: TypeExpr, want: keyof typeof LEAVES, where: string): (slice: Slice) => unknown {
  const only = type.kind === 'named' ? recordIn(type) : undefined
  if (only?.length === 1) return leafOf((only[0] as Field).type, want, where)
  const { kinds, read }: Leaf = LEAVES[want]
  if (!kinds.includes(type.kind)) throw new TypeError(`${where} is ${type.kind}, not ${want}`)
  return read({ kind: type.kind, size: 'size' in type && typeof type.size === 'number' ? type.size : 16 })
}

/** Fields of a record, of a type with one constructor, or of either in a reference. */
function recordIn(type: TypeExpr): readonly Field[] | undefined {
  if (type.kind === 'ref') return recordIn(type.of)
  if (type.kind === 'record') return type.fields
  if (type.kind !== 'named') return undefined
  const [only, ...others] = types.constructorsOf(type.name)
  return only && others.length === 0 && only.tag.bits === 0 && only.params.length === 0
    ? only.fields
    : undefined
}
