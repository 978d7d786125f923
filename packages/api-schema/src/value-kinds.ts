import { parseAddress } from '@shardwalk/cells'
import { FULL_SHARD, fitsInt64, formatRawAddress, type RawAddress, shardToSigned } from '@shardwalk/model'

/** The value of a text, or what is wrong with it. A problem continues the sentence `"x" …`. */
export type Parsed<T> = { readonly value: T } | { readonly problem: string }

/** A kind of parameter value: its parser and the phrase that describes what is accepted. */
export interface ValueKind<T> {
  /** With article: `a hash`. */
  readonly noun: string
  readonly accepts: string
  readonly parse: (text: string) => Parsed<T>
  /** JSON Schema of the value in the query string. */
  readonly schema: Readonly<Record<string, unknown>>
  /** An empty value counts as absent, as in TON Center. */
  readonly emptyIsAbsent?: boolean
  /**
   * Profile `toncenter`: what is read instead of the text, which may be the text itself. Undefined: the
   * parameter counts as absent.
   */
  readonly replace?: (text: string) => string | undefined
}

const INT32_MAX = 2147483647
const UINT32_MAX = 4294967295
const UINT64_MAX = 0xffffffffffffffffn

const problem = (text: string): { readonly problem: string } => ({ problem: text })

/** The value, or the problem that the text is not `noun`. */
const found = <T>(noun: string, value: T | undefined): Parsed<T> =>
  value === undefined ? problem(`is not ${noun}`) : { value }

function decimal(text: string): bigint | undefined {
  return /^-?\d{1,30}$/.test(text) ? BigInt(text) : undefined
}

/** Decimal integer between two bounds, inclusive. */
function integerKind(
  min: number,
  max: number,
  options?: { readonly emptyIsAbsent?: boolean },
): ValueKind<number> {
  return {
    noun: 'an integer',
    accepts:
      max >= INT32_MAX && min <= 0
        ? `a decimal integer from ${min} to ${max}`
        : `an integer from ${min} to ${max}`,
    parse: (text) => {
      const value = decimal(text)
      if (value === undefined) return problem('is not an integer')
      if (value < min)
        return problem(min === 0 ? 'must not be negative' : `must be between ${min} and ${max}`)
      return value > max
        ? problem(min === 0 ? 'is too large' : `must be between ${min} and ${max}`)
        : { value: Number(value) }
    },
    schema: { type: 'integer', minimum: min, maximum: max },
    ...options,
  }
}

/** TON Center reads an empty number or boolean as its zero. */
const emptyAsZero = (text: string): string => (text === '' ? '0' : text)

/** Signed 32-bit integer, such as a workchain. */
export const int32Kind: ValueKind<number> = {
  ...integerKind(-INT32_MAX - 1, INT32_MAX),
  replace: emptyAsZero,
  schema: { type: 'integer', format: 'int32' },
}

/** Number of a block. Columns are signed, so that the greatest is 2147483647. */
export const seqnoKind: ValueKind<number> = {
  ...integerKind(0, INT32_MAX),
  replace: emptyAsZero,
  schema: { type: 'integer', format: 'int32', minimum: 0 },
}

/** A negative number as the smallest one. */
const atLeast =
  (min: number) =>
  (text: string): string => {
    const value = text === '' ? 0n : decimal(text)
    return value !== undefined && value < min ? String(min) : text
  }

/** Seqno of the endpoints that ask for one masterchain block: TON Center reads what is no number as 0. */
export const mcSeqnoKind: ValueKind<number> = {
  ...seqnoKind,
  replace: (text) => ('value' in seqnoKind.parse(text) ? text : '0'),
}

/** Rows to skip. Profile `toncenter`: a negative number is read as 0. */
export const offsetKind: ValueKind<number> = {
  ...integerKind(0, INT32_MAX, { emptyIsAbsent: true }),
  replace: atLeast(0),
  schema: { type: 'integer', format: 'int32', minimum: 0 },
}

/** Rows of a page, from 1 to `max`. Profile `toncenter`: a smaller number is read as 1. */
export const limitKind = (max: number): ValueKind<number> => ({
  ...integerKind(1, max, { emptyIsAbsent: true }),
  replace: atLeast(1),
})

/** Unsigned 64-bit logical time. */
export const ltKind: ValueKind<bigint> = {
  noun: 'a logical time',
  accepts: 'a decimal integer from 0 to 18446744073709551615',
  parse: (text) => {
    const value = decimal(text)
    if (value !== undefined && value < 0n) return problem('must not be negative')
    return value === undefined || value > UINT64_MAX ? problem('is not a logical time') : { value }
  },
  replace: emptyAsZero,
  schema: { type: 'integer', format: 'int64', minimum: 0 },
}

/** Unix seconds; a fraction is discarded. */
export const utimeKind: ValueKind<number> = {
  noun: 'a time',
  accepts: 'Unix seconds from 0 to 4294967295; a fraction is discarded',
  parse: (text) => {
    if (/^-\d/.test(text)) return problem('must not be negative')
    const value = /^\d{1,10}(\.\d*)?$/.test(text) ? Math.trunc(Number(text)) : undefined
    return value === undefined || value > UINT32_MAX ? problem('is not a time') : { value }
  },
  // TON Center reads the bits of a negative number as an unsigned one; milliseconds are in the far future.
  replace: (text) => (/^-\d/.test(text) || Number(text) > UINT32_MAX ? String(UINT32_MAX) : text),
  schema: { type: 'integer', format: 'int64', minimum: 0, maximum: UINT32_MAX },
}

/** 32 bytes, in hex or base64. A space is read as `+`, which is what a plus in a query decodes to. */
export const hashKind: ValueKind<Buffer> = {
  noun: 'a hash',
  accepts: '64 hex digits with or without 0x, or 44 characters of base64 in either alphabet',
  parse: (text) => found('a hash', parseHash(text)),
  schema: { type: 'string', examples: ['ZlK0cqpM0DJM8PqqBZVA+BD+lfWxmdvSjOfjFcIaMmg='] },
}

/** A hash in a parameter of which TON Center ignores what is no hash. */
export const looseHashKind: ValueKind<Buffer> = {
  ...hashKind,
  replace: (text) => (parseHash(text) ? text : undefined),
}

/** A hash in one of the forms of `hashKind`; undefined if it is none. */
export function parseHash(text: string): Buffer | undefined {
  if (/^(0[xX])?[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text.slice(-64), 'hex')
  const base64 = text.replaceAll(' ', '+')
  if (!/^[A-Za-z0-9+/_-]{43}=$/.test(base64)) return undefined
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length === 32 ? bytes : undefined
}

/**
 * An address of a query; undefined if it is none. Space around it is ignored, as in TON Center. Within its 48
 * characters, and as the last of them, a space is what a plus of base64 decodes to.
 */
export const readAddress = (text: string): RawAddress | undefined =>
  parseAddress(text.replaceAll(' ', '+')) ?? parseAddress(text.trim().replaceAll(' ', '+'))

/** An account in any form: raw, or user-friendly in either alphabet. */
export const addressKind: ValueKind<RawAddress> = {
  noun: 'an address',
  accepts: 'the raw form <workchain>:<64 hex digits> or the 48 characters of the user-friendly form',
  parse: (text) => found('an address', readAddress(text)),
  schema: {
    type: 'string',
    examples: ['0:5FC75A3B0ABAD98D55E60A6BC7883C790892AB957BC39264ABE9818D0DF8D771'],
  },
}

/** The same, or `null` for messages that have no such end, which address books call `addr_none`. */
export const nullableAddressKind: ValueKind<RawAddress | null> = {
  noun: 'an address',
  accepts: `${addressKind.accepts}, or null`,
  parse: (text) => (text === 'null' || text === 'addr_none' ? { value: null } : addressKind.parse(text)),
  schema: { type: 'string', examples: ['null'] },
}

/**
 * Shard id, signed 64-bit. The text is first tried as unsigned hex, then as signed decimal, so a positive
 * decimal of at most 16 digits is read as hex. See docs/api-v3.md.
 */
export const shardKind: ValueKind<bigint> = {
  noun: 'a shard',
  accepts: 'up to 16 hex digits such as 8000000000000000 with or without 0x, or the signed decimal form',
  parse: (text) => found('a shard', parseShard(text)),
  schema: { type: 'string', examples: [FULL_SHARD.toString(16)] },
}

function parseShard(text: string): bigint | undefined {
  const hex = /^(?:0[xX])?([0-9a-fA-F]{1,16})$/.exec(text)
  if (hex) return shardToSigned(BigInt(`0x${hex[1]}`))
  const value = decimal(text)
  return value !== undefined && fitsInt64(value) ? value : undefined
}

/**
 * Opcode as a signed 32-bit number. Up to 8 digits without 0x are hex, more are decimal, so that the unsigned
 * form of replies is accepted. See docs/api-v3.md.
 */
export const opcodeKind: ValueKind<number> = {
  noun: 'an opcode',
  accepts:
    '0x and up to 8 hex digits, up to 8 hex digits, or a 32-bit decimal that is negative or has more than ' +
    '8 digits',
  parse: (text) => found('an opcode', parseOpcode(text)),
  schema: { type: 'string', examples: ['0x0f8a7ea5'] },
}

function parseOpcode(text: string): number | undefined {
  const hex = /^(?:0[xX])?([0-9a-fA-F]{1,8})$/.exec(text)
  if (hex) return Number.parseInt(hex[1]!, 16) | 0
  const value = decimal(text)
  if (value === undefined || value < -(2n ** 31n) || value > BigInt(UINT32_MAX)) return undefined
  return Number(BigInt.asIntN(32, value))
}

/** Spellings that Go's `strconv.ParseBool` accepts, and `on` and `off`. */
export const booleanKind: ValueKind<boolean> = {
  noun: 'a boolean',
  accepts: 'true, t, 1, on, false, f, 0 or off',
  parse: (text) => {
    if (['1', 't', 'T', 'TRUE', 'true', 'True', 'on'].includes(text)) return { value: true }
    if (['0', 'f', 'F', 'FALSE', 'false', 'False', 'off'].includes(text)) return { value: false }
    return problem('is not a boolean')
  },
  replace: emptyAsZero,
  schema: { type: 'boolean' },
}

/** One of a set of words in any letter case; `words` maps accepted spellings to values. */
export function wordKind<T extends string>(
  noun: string,
  words: Readonly<Record<string, T>>,
  options?: { readonly emptyIsAbsent?: boolean },
): ValueKind<T> {
  const meanings = [...new Set(Object.values(words))]
  return {
    noun,
    accepts: Object.keys(words).join(', '),
    parse: (text) =>
      found(noun, Object.hasOwn(words, text.toLowerCase()) ? words[text.toLowerCase()] : undefined),
    schema: { type: 'string', enum: meanings },
    ...options,
  }
}

/** Order of a list, oldest or newest first. */
export type Sort = 'asc' | 'desc'
/** Newest first (`desc`) or oldest first (`asc`), also by its first letter. */
export const sortKind = wordKind<Sort>(
  'a sort order',
  { asc: 'asc', a: 'asc', desc: 'desc', d: 'desc' },
  { emptyIsAbsent: true },
)

/** Of a message, as its transaction sees it: received or sent. */
export type Direction = 'in' | 'out'
/** Whether a message was received or sent. */
export const directionKind = wordKind<Direction>('a direction', { in: 'in', out: 'out' })
/** A direction in a parameter of which TON Center ignores other words. */
export const looseDirectionKind: ValueKind<Direction> = {
  ...directionKind,
  replace: (text) => ('value' in directionKind.parse(text) ? text : undefined),
}

/** Opaque position in a list; the list checks that it is valid. */
export const cursorKind: ValueKind<string> = {
  noun: 'a cursor',
  accepts: 'the value of the header X-Next-Cursor of an earlier reply of the same list',
  parse: (text) => (/^[A-Za-z0-9_-]{1,400}$/.test(text) ? { value: text } : problem('is not a cursor')),
  schema: { type: 'string' },
}

/** Map key of an address. */
export const addressKey = formatRawAddress
