import { type Bag, type Cell, formatFriendlyAddress, parseAddress, parseBoc } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import type { ExactJson } from './exact-json.ts'
import { shown, V2Refusal } from './refusal.ts'

/**
 * A kind of parameter value. The readers return undefined for `failed to parse <name>`, or throw `V2Refusal`.
 */
export interface V2Kind<T> {
  readonly accepts: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly fromText: (text: string) => T | undefined
  readonly fromJson: (value: ExactJson) => T | undefined
}

/** An address with its original form, which replies repeat. */
export interface V2Address extends RawAddress {
  readonly isRaw: boolean
  readonly bounceable: boolean
  readonly testOnly: boolean
}

const TAG_BITS = { nonBounceable: 0x40, testOnly: 0x80 }

function readAddress(text: string): V2Address | undefined {
  const address = parseAddress(text)
  if (!address) return undefined
  if (text.includes(':')) return { ...address, isRaw: true, bounceable: true, testOnly: false }
  const tag = Buffer.from(text, 'base64')[0]!
  const bounceable = (tag & TAG_BITS.nonBounceable) === 0
  return { ...address, isRaw: false, bounceable, testOnly: (tag & TAG_BITS.testOnly) !== 0 }
}

/** `<workchain>:<HEX>` for raw input, otherwise base64url with the flags of the input. */
export const normalizedAddress = (address: V2Address): string =>
  address.isRaw
    ? `${address.workchain}:${address.hash.toString('hex').toUpperCase()}`
    : formatFriendlyAddress(address, address)

function addressOf(text: string, empty: string): V2Address {
  if (text === '') throw new V2Refusal(empty, 'validate')
  const address = readAddress(text)
  if (!address) throw new V2Refusal(`Failed to parse ton_addr: '${shown(text)}'`)
  return address
}

const textOnly =
  <T>(read: (text: string) => T | undefined) =>
  (value: ExactJson): T | undefined =>
    typeof value === 'string' ? read(value) : undefined

/** `empty`: error text for an empty address. */
export function addressKind(empty = 'empty address'): V2Kind<V2Address> {
  const read = (text: string) => addressOf(text, empty)
  return {
    accepts: '<workchain>:<64 hex digits>, or 48 characters of base64 or base64url',
    schema: { type: 'string' },
    fromText: read,
    fromJson: textOnly(read),
  }
}

function integerIn(text: string, bits: number): bigint | undefined {
  if (!/^[+-]?\d{1,20}$/.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(bits, value) === value ? value : undefined
}

function integerFromJson(value: ExactJson, bits: number): bigint | undefined {
  if (typeof value === 'string') return integerIn(value, bits)
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))
    return integerIn(String(value), bits)
  return undefined
}

const asNumber = (value: bigint | undefined): number | undefined =>
  value === undefined ? undefined : Number(value)

/** A decimal integer of 32 bits. */
export const int32: V2Kind<number> = {
  accepts: 'a decimal integer of 32 bits, as a number or a string',
  schema: { type: 'integer', format: 'int32' },
  fromText: (text) => asNumber(integerIn(text, 32)),
  fromJson: (value) => asNumber(integerFromJson(value, 32)),
}

/** int32 that must be a number in JSON. */
export const strictInt32: V2Kind<number> = {
  ...int32,
  accepts: 'a decimal integer of 32 bits',
  fromJson: (value) => (typeof value === 'number' ? int32.fromJson(value) : undefined),
}

/** A decimal integer of 64 bits. */
export const int64: V2Kind<bigint> = {
  accepts: 'a signed decimal integer of 64 bits, as a number or a string',
  schema: { type: ['integer', 'string'], format: 'int64' },
  fromText: (text) => integerIn(text, 64),
  fromJson: (value) => integerFromJson(value, 64),
}

const TRUE = new Set(['y', 'yes', 't', 'true', 'on', '1'])
const FALSE = new Set(['n', 'no', 'f', 'false', 'off', '0'])

function flagOf(text: string): boolean | undefined {
  const word = text.toLowerCase()
  return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined
}

/** More spellings than API v3 has; in JSON also a number, of which 0 is false. */
export const flag: V2Kind<boolean> = {
  accepts: 'true, t, yes, y, on, 1 or false, f, no, n, off, 0',
  schema: { type: 'boolean' },
  fromText: flagOf,
  fromJson(value) {
    if (typeof value === 'boolean') return value
    if (typeof value === 'number' && Number.isInteger(value)) return value !== 0
    return typeof value === 'string' ? flagOf(value) : undefined
  },
}

/** `true` or `false` in JSON; a query string cannot give it. */
export const strictFlag: V2Kind<boolean> = {
  accepts: 'a JSON boolean',
  schema: { type: 'boolean' },
  fromText: () => undefined,
  fromJson: (value) => (typeof value === 'boolean' ? value : undefined),
}

/** The length decides the form: 44 characters base64 in either alphabet, 43 base64url, 64 hex. */
export function parseV2Hash(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  const isBase64 = /^(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9_-]{43}=?)$/.test(text)
  return isBase64 ? Buffer.from(text, 'base64') : undefined
}

const hashOrRefuse = (text: string): Buffer => {
  const hash = parseV2Hash(text)
  if (!hash) throw new V2Refusal(`invalid hash: '${shown(text)}'`)
  return hash
}

/**
 * Throws `V2Refusal` in JSON, where TON Center names the value; in a query string it is refused as any other.
 */
export const hash: V2Kind<Buffer> = {
  accepts: '64 hex digits, 44 characters of base64, or 43 of base64url',
  schema: { type: 'string' },
  fromText: parseV2Hash,
  fromJson: textOnly(hashOrRefuse),
}

/** As `hash`, with the error texts of `detectHash`. */
export const detectableHash: V2Kind<Buffer> = {
  ...hash,
  fromText: (text) => emptyRefused(text, 'empty hash', hashOrRefuse),
  fromJson: textOnly((text) => emptyRefused(text, 'empty hash', hashOrRefuse)),
}

function emptyRefused<T>(text: string, inner: string, read: (text: string) => T): T {
  if (text === '') throw new V2Refusal(inner, 'validate')
  return read(text)
}

const readAccountHash = (text: string): Buffer | undefined => readAddress(text)?.hash ?? parseV2Hash(text)

/** The account id of any address, or a hash. */
export const accountHash: V2Kind<Buffer> = {
  accepts: 'an address or a hash in any form; only the 256-bit account id is used',
  schema: { type: 'string' },
  fromText: readAccountHash,
  fromJson: textOnly(readAccountHash),
}

/** Standard base64 with padding. */
export function parseBase64(text: string): Buffer {
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
  if (!isBase64) throw new V2Refusal('invalid base64 encoded bytes: standard base64 with padding is expected')
  return Buffer.from(text, 'base64')
}

/** Throws `V2Refusal` unless the text is standard base64. */
export const bytes: V2Kind<Buffer> = {
  accepts: 'standard base64 with padding',
  schema: { type: 'string', contentEncoding: 'base64' },
  fromText: parseBase64,
  fromJson: textOnly(parseBase64),
}

/** Any string, the empty one included. */
export const text: V2Kind<string> = {
  accepts: 'text',
  schema: { type: 'string' },
  fromText: (value) => value,
  fromJson: (value) => (typeof value === 'string' ? value : undefined),
}

/** A JSON value with all digits of its numbers; a query string cannot give it. */
export const json: V2Kind<ExactJson> = {
  accepts: 'an array of stack entries',
  schema: { type: 'array', items: {} },
  fromText: () => undefined,
  fromJson: (value) => value,
}

/** Method name or id: a string that is an integer is read as an id. */
export const methodName: V2Kind<string | number> = {
  accepts: 'the name of a get-method, or its id as a number, a decimal or a 0x-hex string',
  schema: { type: ['string', 'integer'] },
  fromText: () => undefined,
  fromJson(value) {
    if (typeof value === 'number') return int32.fromJson(value)
    if (typeof value !== 'string') return undefined
    const id = /^(-?)(0x[0-9a-fA-F]{1,8}|\d{1,10})$/.exec(value)
    if (!id) return value
    const number = (id[1] === '-' ? -1n : 1n) * BigInt(id[2]!)
    return BigInt.asIntN(32, number) === number ? Number(number) : undefined
  },
}

/**
 * A bag of cells in a request, with one root. `name` precedes the reason in the error, as clients expect.
 * `maxCells`: larger bags are refused.
 */
export function requestBag(boc: Uint8Array, name: string, maxCells?: number): Bag {
  try {
    return parseBoc(boc, { expectedRoots: 1, ...(maxCells !== undefined && { maxCells }) })
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new V2Refusal(`INVALID_BAG_OF_CELLS: ${name}${bagProblem(error)}`, 'plain')
  }
}

/**
 * What is wrong with a bag in the words of the node, for which one that is cut off has no root. Source: node,
 * crypto/vm/boc.cpp, `std_boc_deserialize`.
 */
function bagProblem({ path, message }: DecodeError): string {
  switch (path) {
    case 'bag_of_cells.magic':
    case 'bag_of_cells.flags':
      return 'cannot deserialize bag-of-cells: invalid header, error 0'
    case 'bag_of_cells.header':
      return 'bag of cells is expected to have exactly one root'
    case 'bag_of_cells.size':
      return message.includes('not enough') ? 'bag of cells is expected to have exactly one root' : message
    case 'bag_of_cells.roots':
      return message.includes('expected 1') ? 'Bag-of-cells has more root cells than expected' : message
    default:
      return message
  }
}

/** The root cell of `requestBag`. */
export function requestCell(boc: Uint8Array, name: string, maxCells?: number): Cell {
  const bag = requestBag(boc, name, maxCells)
  return bag.cell(bag.root)
}
