import type { RawAddress } from '@shardwalk/model'

/** An address as text in any form, or as `Address` of `@ton/core`. */
export type AddressLike = string | { toRawString(): string }

/** What a client may give for a value that the server reads as `T`. */
type Value<T> = [T] extends [RawAddress]
  ? AddressLike
  : [T] extends [RawAddress | null]
    ? AddressLike | null
    : [T] extends [Uint8Array]
      ? string | Uint8Array
      : [T] extends [bigint]
        ? bigint | number | string
        : T

type ListValue<T> = T extends readonly (infer Item)[] ? Value<Item> | readonly Value<Item>[] : Value<T>

/** The parameters of an endpoint, by what its query schema reads. */
export type Given<Query> = {
  readonly [Name in keyof Query]?: ListValue<NonNullable<Query[Name]>> | undefined
}

type Scalar = AddressLike | Uint8Array | bigint | number | boolean | null

/**
 * Writes parameters into a query string; lists repeat their name. Throws `RangeError` at an empty list, which
 * would ask for the rows of everybody.
 */
export function toSearch(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value) && value.length === 0) throw new RangeError(`${name} is an empty list`)
    for (const one of (Array.isArray(value) ? value : [value]) as readonly (Scalar | undefined)[])
      if (one !== undefined) search.append(name, textOf(one))
  }
  return search
}

function textOf(value: Scalar): string {
  if (value instanceof Uint8Array)
    return Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return typeof value === 'object' && value !== null ? value.toRawString() : String(value)
}

/** Parameters as API v2 reads them in JSON: bigints as text, bytes in base64, addresses in raw form. */
export function toJsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array)
    return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(''))
  if (Array.isArray(value)) return value.map(toJsonValue)
  if ('toRawString' in value) return (value as Extract<AddressLike, object>).toRawString()
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJsonValue(member)]))
}
