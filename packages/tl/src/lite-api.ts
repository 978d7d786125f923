import { TlProblem, type TlReader } from './bytes.ts'
import { decodeWhole, encodeBoxed, hex, type Infer, type ObjectCodec } from './codec.ts'
import { LITE_FUNCTIONS } from './functions.ts'
import { LITE_OBJECTS } from './objects.ts'
import { type LiteObject, type LiteObjectName, type LiteObjects, Registry } from './registry.ts'

type ListedFunction = (typeof LITE_FUNCTIONS)[number]
/** Arguments by function name. */
export type LiteArguments = { readonly [F in ListedFunction as F['name']]: Infer<F> }
/** Name of a function, e.g. `liteServer.getBlock`. */
export type LiteFunctionName = keyof LiteArguments
/** Answers by function name. */
export type LiteResults = { readonly [F in ListedFunction as F['name']]: LiteObjects[F['result']] }
/** A call as `{ name, args }`, discriminated by `name`. */
export type LiteCall = {
  [N in LiteFunctionName]: { readonly name: N; readonly args: LiteArguments[N] }
}[LiteFunctionName]
/** A boxed object as `{ name, value }`, discriminated by `name`. */
export type LiteBoxed = {
  [N in LiteObjectName]: { readonly name: N; readonly value: LiteObjects[N] }
}[LiteObjectName]

/** An error answer. Source: lite_api.tl `liteServer.error`. */
export type LiteError = LiteObject<'liteServer.error'>
/** What a server answers to a function: its result or `liteServer.error`. */
export type LiteAnswer<N extends LiteFunctionName> =
  | { readonly ok: true; readonly value: LiteResults[N] }
  | { readonly ok: false; readonly error: LiteError }

type AnyCodec = ObjectCodec<string, unknown>
const functions = new Registry<AnyCodec & { readonly result: LiteObjectName }>(LITE_FUNCTIONS)
const objects = new Registry<AnyCodec>(LITE_OBJECTS)
/** First four bytes of such an answer. */
export const LITE_ERROR_ID = objects.named('liteServer.error').id

/** Name of the constructor of a function's answer. */
const resultNameOf = (name: LiteFunctionName): LiteObjectName => functions.named(name).result

/** Bytes of a function call, for `encodeQuery`. */
export const encodeFunction = <N extends LiteFunctionName>(name: N, args: LiteArguments[N]): Buffer =>
  encodeBoxed(functions.named(name), args)

/** Decodes a serialised function. Throws `DecodeError` on an unknown id, short input or trailing bytes. */
export function decodeFunction(bytes: Buffer): LiteCall {
  const found = functionOf(bytes)
  if (!found) return unknownId('lite_api function', bytes)
  return { name: found.name, args: decodeBody(found, bytes) } as LiteCall
}

/** Name of a serialised function without decoding its arguments; undefined if the id is unknown. */
export const functionNameOf = (bytes: Buffer): LiteFunctionName | undefined =>
  functionOf(bytes)?.name as LiteFunctionName | undefined

/** Bytes of an object with its constructor id. */
export const encodeObject = <N extends LiteObjectName>(name: N, value: LiteObjects[N]): Buffer =>
  encodeBoxed(objects.named(name), value, capacityFor(value))

/** Decodes any boxed lite_api object; `bytes` fields are views of the input. Throws `DecodeError`. */
export function decodeObject(bytes: Buffer): LiteBoxed {
  const found = bytes.length >= 4 ? objects.withId(bytes.readUInt32LE(0)) : undefined
  if (!found) return unknownId('lite_api object', bytes)
  return { name: found.name, value: decodeBody(found, bytes) } as LiteBoxed
}

/** Decodes a boxed object of one constructor. Throws `DecodeError`. */
export function decodeObjectAs<N extends LiteObjectName>(name: N, bytes: Buffer): LiteObjects[N] {
  return decodeBody(objects.named(name), bytes)
}

/**
 * Decodes the answer to a function: its result or `liteServer.error`. Throws `DecodeError` on anything else.
 */
export function decodeAnswer<N extends LiteFunctionName>(name: N, bytes: Buffer): LiteAnswer<N> {
  if (bytes.length >= 4 && bytes.readUInt32LE(0) === LITE_ERROR_ID)
    return { ok: false, error: decodeObjectAs('liteServer.error', bytes) }
  return { ok: true, value: decodeBody(objects.named(resultNameOf(name)), bytes) as LiteResults[N] }
}

/** Bytes of the answer to a function. */
export const encodeAnswer = <N extends LiteFunctionName>(name: N, value: LiteResults[N]): Buffer =>
  encodeObject(resultNameOf(name), value as never)

/** Bytes of a `liteServer.error`; codes: `LITE_ERROR`. */
export const encodeError = (code: number, message: string): Buffer =>
  encodeObject('liteServer.error', { code, message })

const functionOf = (bytes: Buffer) =>
  bytes.length >= 4 ? functions.withId(bytes.readUInt32LE(0)) : undefined

function decodeBody<T>(codec: AnyCodec, bytes: Buffer): T {
  return decodeWhole(codec.name, bytes, (reader) => {
    const id = reader.uint32()
    if (id !== codec.id) throw new TlProblem(`id ${hex(codec.id)} expected, ${hex(id)} found`)
    return codec.read(reader) as T
  })
}

function unknownId(root: string, bytes: Buffer): never {
  return decodeWhole(root, bytes, (reader: TlReader) => {
    throw new TlProblem(`unknown id ${hex(reader.uint32())}`)
  })
}

/** Avoids growing the output repeatedly when an object contains a whole block. */
function capacityFor(value: unknown): number {
  let size = 256
  for (const field of Object.values(value as object))
    if (field instanceof Uint8Array) size += field.length + 8
  return size
}
