import { TlProblem, TlReader, TlWriter } from './bytes.ts'

/**
 * Reads and writes one TL type; `tl` is its name in scheme lines (constructor ids are CRC-32 of those lines).
 */
export interface Codec<T> {
  readonly tl: string
  read(reader: TlReader): T
  write(writer: TlWriter, value: T): void
}

/** A field `mode.N?T`: present if bit N of the object's `mode` is set, or of `flags` where it is named so. */
export interface Conditional<T> {
  readonly bit: number
  readonly codec: Codec<T>
}

// biome-ignore lint/suspicious/noExplicitAny: fields have any type; inference keeps each one's own
type Field = Codec<any> | Conditional<any>
/** Fields of a constructor in the order of the scheme, under their names in camelCase. */
export type Fields = Readonly<Record<string, Field>>

type Value<F> = F extends Codec<infer T> ? T : F extends Conditional<infer T> ? T : never
type Simplify<T> = { [K in keyof T]: T[K] } & {}
/** Readonly object of the fields; conditional ones are optional properties. */
export type FieldValues<F extends Fields> = Simplify<
  { readonly [K in keyof F as F[K] extends Conditional<unknown> ? never : K]: Value<F[K]> } & {
    readonly [K in keyof F as F[K] extends Conditional<unknown> ? K : never]?: Value<F[K]>
  }
>

/** A constructor: its name, its id (little-endian on the wire) and the bare codec of its fields. */
export interface ObjectCodec<N extends string, T> extends Codec<T> {
  readonly name: N
  readonly id: number
  readonly fields: Fields
}

/** The value type of a codec. */
export type Infer<C> = C extends Codec<infer T> ? T : never

// --- scalars

const codec = <T>(
  tl: string,
  read: (r: TlReader) => T,
  write: (w: TlWriter, value: T) => void,
): Codec<T> => ({
  tl,
  read,
  write,
})

/** TL `int` does not define a sign: workchains and exit codes are signed, seqnos and times unsigned. */
export const int32 = codec<number>(
  'int',
  (r) => r.int32(),
  (w, v) => w.int32(v),
)
/** TL `int` that is never negative: seqnos, sizes, Unix seconds. */
export const uint32 = codec<number>(
  'int',
  (r) => r.uint32(),
  (w, v) => w.uint32(v),
)
/** `#`, always unsigned. */
export const nat = codec<number>(
  '#',
  (r) => r.uint32(),
  (w, v) => w.uint32(v),
)
/** TL `long` with a sign. */
export const int64 = codec<bigint>(
  'long',
  (r) => r.int64(),
  (w, v) => w.int64(v),
)
/** TL `long` that is never negative: shards, lt. */
export const uint64 = codec<bigint>(
  'long',
  (r) => r.uint64(),
  (w, v) => w.uint64(v),
)
/** 32 bytes in the order of the hash. */
export const int256 = codec<Buffer>(
  'int256',
  (r) => r.int256(),
  (w, v) => w.int256(v),
)
/** 16 bytes in the order in which they are sent. */
export const int128 = codec<Buffer>(
  'int128',
  (r) => r.int128(),
  (w, v) => w.int128(v),
)
/** Reads a view of the source bytes. */
export const bytes = codec<Buffer>(
  'bytes',
  (r) => r.bytes(),
  (w, v) => w.bytes(v),
)
/** TL `string` in UTF-8. Bytes that are no UTF-8 are replaced, not refused. */
export const string = codec<string>(
  'string',
  (r) => r.bytes().toString('utf8'),
  (w, v) => w.bytes(Buffer.from(v, 'utf8')),
)

const BOOL_TRUE = 0x997275b5
const BOOL_FALSE = 0xbc799737
/** TL `Bool`, always boxed: `boolTrue#997275b5`, `boolFalse#bc799737`. */
export const bool = codec<boolean>(
  'Bool',
  (r) => {
    const id = r.uint32()
    if (id !== BOOL_TRUE && id !== BOOL_FALSE) throw new TlProblem(`id ${hex(id)} is not a Bool`)
    return id === BOOL_TRUE
  },
  (w, v) => w.uint32(v ? BOOL_TRUE : BOOL_FALSE),
)

/** Bare vector: a count, then the elements. Elements take at least four bytes, which bounds the count. */
export const vector = <T>(element: Codec<T>): Codec<readonly T[]> =>
  codec<readonly T[]>(
    `vector ${element.tl}`,
    (r) => {
      const count = r.uint32()
      if (count * 4 > r.remaining) throw new TlProblem(`a vector of ${count} does not fit`)
      return Array.from({ length: count }, () => element.read(r))
    },
    (w, items) => {
      w.uint32(items.length)
      for (const item of items) element.write(w, item)
    },
  )

/** A conditional field `mode.N?T`. */
export const when = <T>(bit: number, inner: Codec<T>): Conditional<T> => ({ bit, codec: inner })

/** `mode.N?true`: takes no bytes besides the mode bit. Reads as `true` or absent. */
export const flag = (bit: number): Conditional<boolean> => ({ bit, codec: NOTHING })
const NOTHING = codec<boolean>(
  'true',
  () => true,
  () => {},
)

// --- objects

/** The field whose bits say which others are present; the only one of type `#`. */
const modeKeyOf = (entries: readonly (readonly [string, Field])[]): string =>
  entries.find(([, field]) => !('bit' in field) && field.tl === nat.tl)?.[0] ?? 'mode'

/**
 * Codec of a constructor. Writing sets the bits of `mode` for the fields that are present. A bit that is set
 * without its field is a programming error and throws TypeError.
 */
export function object<const N extends string, const F extends Fields>(
  name: N,
  id: number,
  fields: F,
): ObjectCodec<N, FieldValues<F>> {
  const entries = Object.entries(fields)
  const shape = { name, entries, modeKey: modeKeyOf(entries) }
  return {
    name,
    id,
    fields,
    tl: name,
    read: (reader) => readFields(reader, shape) as FieldValues<F>,
    write: (writer, value) => writeFields(writer, shape, value as Readonly<Record<string, unknown>>),
  }
}

interface Shape {
  readonly name: string
  readonly entries: readonly (readonly [string, Field])[]
  readonly modeKey: string
}

function readFields(reader: TlReader, { entries, modeKey }: Shape): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  let current = ''
  try {
    for (const [key, field] of entries) {
      current = key
      if (!('bit' in field)) value[key] = field.read(reader)
      else if (((value[modeKey] as number) >>> field.bit) & 1) value[key] = field.codec.read(reader)
    }
  } catch (error) {
    if (error instanceof TlProblem) error.path.unshift(current)
    throw error
  }
  return value
}

function writeFields(
  writer: TlWriter,
  { name, entries, modeKey }: Shape,
  value: Readonly<Record<string, unknown>>,
): void {
  const mode = modeOf(entries, value, modeKey)
  for (const [key, field] of entries) {
    if ('bit' in field) {
      if (!((mode >>> field.bit) & 1)) continue
      if (value[key] === undefined && field.codec !== NOTHING)
        throw new TypeError(`${name}.${key}: bit ${field.bit} of ${modeKey} is set, but the field is missing`)
      field.codec.write(writer, value[key])
    } else if (key === modeKey) field.write(writer, mode)
    else field.write(writer, value[key])
  }
}

function modeOf(
  entries: readonly (readonly [string, Field])[],
  value: Readonly<Record<string, unknown>>,
  modeKey: string,
): number {
  let mode = (value[modeKey] as number | undefined) ?? 0
  for (const [key, field] of entries)
    if ('bit' in field && value[key] !== undefined && value[key] !== false) mode |= 1 << field.bit
  return mode >>> 0
}

/** A boxed type with several constructors; values have the constructor's name as `kind`. */
export function union<const C extends readonly ObjectCodec<string, unknown>[]>(
  tl: string,
  ...constructors: C
): Codec<Boxed<C[number]>> {
  const byId = new Map(constructors.map((c) => [c.id, c]))
  const byName = new Map(constructors.map((c) => [c.name, c]))
  return codec<Boxed<C[number]>>(
    tl,
    (reader) => {
      const id = reader.uint32()
      const found = byId.get(id)
      if (!found) throw new TlProblem(`id ${hex(id)} is not a ${tl}`)
      return { kind: found.name, ...(found.read(reader) as object) } as Boxed<C[number]>
    },
    (writer, value) => {
      const found = byName.get(value.kind)
      if (!found) throw new TypeError(`${value.kind} is not a ${tl}`)
      writer.uint32(found.id)
      found.write(writer, value)
    },
  )
}
/** Value of a constructor with its name as `kind`. */
export type Boxed<C> = C extends ObjectCodec<infer N, infer T> ? Simplify<{ readonly kind: N } & T> : never

/** A constructor id as errors show it: eight hex digits. */
export const hex = (id: number): string => id.toString(16).padStart(8, '0')

// --- whole messages

/** Reads one value that must occupy all of `bytes`. Throws `DecodeError`. */
export function decodeWhole<T>(name: string, bytes: Buffer, read: (reader: TlReader) => T): T {
  const reader = new TlReader(bytes)
  try {
    const value = read(reader)
    reader.end()
    return value
  } catch (error) {
    if (error instanceof TlProblem) throw error.toDecodeError(name)
    throw error
  }
}

/** Writes an object with its constructor id. */
export function encodeBoxed<T>(boxed: ObjectCodec<string, T>, value: T, capacity?: number): Buffer {
  const writer = new TlWriter(capacity)
  writer.uint32(boxed.id)
  boxed.write(writer, value)
  return writer.finish()
}

/** Writes a value of a boxed type with its constructor id. */
export function encodeUnion<T>(type: Codec<T>, value: T, capacity?: number): Buffer {
  const writer = new TlWriter(capacity)
  type.write(writer, value)
  return writer.finish()
}

/** Reads a value of a boxed type that must occupy all of `bytes`. Throws `DecodeError`. */
export const decodeUnion = <T>(type: Codec<T>, bytes: Buffer): T =>
  decodeWhole(type.tl, bytes, (reader) => type.read(reader))

/**
 * A constructor at the beginning of `bytes` and what follows it; undefined if they begin with another. Throws
 * `DecodeError` if the value is cut off.
 */
export function decodePrefix<T>(
  boxed: ObjectCodec<string, T>,
  bytes: Buffer,
): { readonly value: T; readonly rest: Buffer } | undefined {
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== boxed.id) return undefined
  return decodeWhole(boxed.name, bytes, (reader) => {
    reader.uint32()
    const value = boxed.read(reader)
    return { value, rest: reader.rest() }
  })
}
