import {
  type DecodeQuery,
  type ExactJson,
  InvalidQuery,
  namedMembers,
  parseExactJson,
  readLegacyStack,
  readStackEntries,
  readTypedStack,
  requestCell,
  StackTooLarge,
  toDecodeReply,
  toGetMethodResult,
  toJsonText,
  toLegacyStack,
  toTypedStack,
  V2Refusal,
  v2MethodName,
} from '@shardwalk/api-schema'
import type { StackValue } from '@shardwalk/contracts'
import { DecodeError } from '@shardwalk/model'
import { decodeResults, encodeArguments } from '@shardwalk/tvm'
import { messageHashes } from '../messages/message-hashes.ts'
import { type BodyType, readMembers } from './posted-lists.ts'
import { readPostedMembers, type TextForm } from './posted-members.ts'

// Tasks that take long for large requests and replies. They are pure, so that they can run in another thread.

/** A JSON object; integers beyond 2^53 are bigints. */
export type JsonBody = { readonly [key: string]: ExactJson }

/** Encodings of stacks in `runGetMethod`: API v2, `runGetMethodStd` of API v2, API v3. */
export type StackForm = 'legacy' | 'typed' | 'v3'

/** A body, with its stack as a bag of cells instead of a member. */
export interface ReadBody {
  readonly body: JsonBody
  /** Undefined when the body has no stack or the method takes none. */
  readonly stack?: ReadStack
}

/** `boc` is undefined when there are no arguments. `refusal`: why the stack cannot be parsed. */
export interface ReadStack {
  readonly boc?: Uint8Array | undefined
  readonly refusal?: V2Refusal
}

/** A request's body as it came, and how to read it. */
export interface BodyInput {
  readonly bytes: Uint8Array
  /** Encoding for the method called, unless the body names the method (JSON-RPC). */
  readonly form?: StackForm | undefined
  /** The members of a JSON body, if their names match in any letter case; others are left out. */
  readonly names?: readonly string[] | undefined
  /** If the body is not JSON. */
  readonly texts?: TextForm | undefined
}

/** Maximum number of values in a body besides its stack; every method takes fewer. */
const MAX_VALUES = 5_000
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Parses the body of a request to a node. Throws `V2Refusal`, `InvalidQuery`. */
export function readBody({ bytes, form, names, texts }: BodyInput): ReadBody {
  const body = texts ? readPostedMembers(bytes, texts) : parseObject(bytes, names)
  const params = body['params']
  const isRpc = form === undefined && isObject(params)
  const formOfStack = isRpc ? stackFormOf(body['method']) : form
  if (formOfStack === undefined) return { body: bounded(body) }
  const { stack, ...rest } = isRpc ? params : body
  if (stack === undefined || stack === null) return { body: bounded(body) }
  const others = bounded(isRpc ? { ...body, params: rest } : rest)
  return { body: others, stack: readStack(formOfStack, stack) }
}

/** Encoding for a method of API v2 by its name; undefined when it takes no stack. */
export function stackFormOf(method: unknown): StackForm | undefined {
  const name = typeof method === 'string' ? v2MethodName(method) : undefined
  return name === 'runGetMethod' ? 'legacy' : name === 'runGetMethodStd' ? 'typed' : undefined
}

const READERS: Readonly<Record<StackForm, (stack: ExactJson) => readonly StackValue[]>> = {
  legacy: readLegacyStack,
  typed: readTypedStack,
  v3: (stack) => readLegacyStack(readStackEntries(stack)),
}

/** Values of a stack as a bag of cells. What cannot be parsed is a `refusal`, not an exception. */
export function readStack(form: StackForm, stack: ExactJson): ReadStack {
  try {
    const values = READERS[form](stack)
    return values.length === 0 ? {} : { boc: encodeArguments(values) }
  } catch (error) {
    if (error instanceof V2Refusal) return { refusal: error }
    if (!(error instanceof DecodeError)) throw error
    return { refusal: new V2Refusal(`TVM stack size exceeds limit: ${error.message}`, 'plain') }
  }
}

function parseObject(bytes: Uint8Array, names: readonly string[] | undefined): JsonBody {
  const value = parseJson(textOf(bytes))
  if (!isObject(value)) throw new V2Refusal('request must be an object')
  return names ? namedMembers(value, names) : value
}

/** Rejects invalid UTF-8 instead of replacing characters. */
function textOf(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw new V2Refusal('body is not UTF-8')
  }
}

function parseJson(text: string): ExactJson {
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new V2Refusal(`body is not JSON: ${error.message}`)
    throw error
  }
}

/** Limits the number of values, because passing many values to a thread occupies the receiving thread. */
function bounded(body: JsonBody): JsonBody {
  let left = MAX_VALUES
  const spend = (value: ExactJson): void => {
    if (--left < 0) throw new V2Refusal(`more than ${MAX_VALUES} values beside the stack`)
    if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) spend(member)
  }
  spend(body)
  return body
}

const isObject = (value: ExactJson | undefined): value is JsonBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A result of a get-method to be rendered. `stackBoc`: TL-B `VmStack` as a bag of cells. */
export interface RunReply {
  readonly form: StackForm
  readonly run: { readonly exitCode: number; readonly gasUsed: number; readonly stackBoc: Uint8Array }
  /** Arguments that the method leaves on the stack are part of its result. */
  readonly hasArguments: boolean
  /** Further members. */
  readonly more?: object
}

/** Limits for rendering a result in the thread that answers requests. */
const SMALL_STACK = { values: 256, limits: { objects: 256, characters: 16_384 } }

/** Renders the reply of a get-method as JSON text. Throws `V2Refusal`; `StackTooLarge` beyond the limits. */
export function renderRun({ form, run, hasArguments, more }: RunReply, isSmall = false): string {
  const { values, limits } = isSmall ? SMALL_STACK : {}
  const { exitCode, gasUsed } = run
  const stack = decoded(run.stackBoc, { values, hasArguments })
  if (form === 'v3') return toJsonText(toGetMethodResult({ exitCode, gasUsed, stack }, limits))
  return toJsonText({
    '@type': 'smc.runResult',
    gas_used: gasUsed,
    stack: form === 'legacy' ? toLegacyStack(stack, limits) : toTypedStack(stack, limits),
    exit_code: exitCode,
    ...more,
  })
}

function decoded(
  stackBoc: Uint8Array,
  { values, hasArguments }: { readonly values: number | undefined; readonly hasArguments: boolean },
): readonly StackValue[] {
  try {
    return decodeResults(stackBoc, values)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new StackTooLarge('TVM stack size exceeds limit', hasArguments ? 422 : 500)
  }
}

/** Limit of nodes. Source: node, `crypto/block/mc-config.h`, `SizeLimitsConfig::max_msg_cells`. */
const MAX_MESSAGE_CELLS = 8192

/** Hashes of an external message, base64. Throws `V2Refusal`, `NodeAccessError`. */
function readMessage({ boc }: { readonly boc: Uint8Array }) {
  const { hash, hashNorm } = messageHashes(requestCell(boc, 'body', MAX_MESSAGE_CELLS))
  return { hash: hash.toString('base64'), hashNorm: hashNorm.toString('base64') }
}

/** The lists, or a body that contains them. */
export type DecodeInput =
  | { readonly lists: DecodeLists }
  | { readonly bytes: Uint8Array; readonly type: BodyType }
type DecodeLists = Pick<DecodeQuery, 'opcodes' | 'bodies'>

const MAX_DECODED = 1000

/** The reply of `/decode` as JSON text. Throws `InvalidQuery`. */
const decode = (input: DecodeInput): string =>
  toDecodeReply('lists' in input ? input.lists : listsOf(readMembers(input.bytes, input.type)))

function listsOf(members: Readonly<Record<string, unknown>>): DecodeLists {
  const { opcodes, bodies } = namedMembers(members, ['opcodes', 'bodies'])
  return { opcodes: textList('opcodes', opcodes), bodies: textList('bodies', bodies) }
}

function textList(name: string, value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new InvalidQuery(`wrong value for "${name}": it is not a list of texts`)
  if (value.length > MAX_DECODED)
    throw new InvalidQuery(`${name} list exceeds maximum length of ${MAX_DECODED}`)
  return value
}

/** Tasks by name. */
export const TASKS = { readBody, readMessage, renderRun, decode } as const
/** Names of the tasks that a thread can run. */
export type TaskName = keyof typeof TASKS
export type Input<N extends TaskName> = Parameters<(typeof TASKS)[N]>[0]
export type Output<N extends TaskName> = ReturnType<(typeof TASKS)[N]>

/** About 10 ms of work in the worst case. Bytes or characters. */
const SMALL = 4096
const lengthOf = (texts: readonly string[] | undefined): number =>
  texts?.reduce((sum, text) => sum + text.length, 0) ?? 0

/** Performs a task at once if it is small; undefined when it may take long. Throws the task's errors. */
export const QUICKLY: { readonly [N in TaskName]: (input: Input<N>) => { value: Output<N> } | undefined } = {
  readBody: (input) => (input.bytes.length <= SMALL ? { value: readBody(input) } : undefined),
  readMessage: (input) => (input.boc.length <= SMALL ? { value: readMessage(input) } : undefined),
  renderRun(input) {
    if (input.run.stackBoc.length > SMALL) return undefined
    try {
      return { value: renderRun(input, true) }
    } catch (error) {
      if (error instanceof StackTooLarge) return undefined
      throw error
    }
  },
  decode(input) {
    const size =
      'bytes' in input ? input.bytes.length : lengthOf(input.lists.bodies) + lengthOf(input.lists.opcodes)
    return size <= SMALL ? { value: decode(input) } : undefined
  },
}
