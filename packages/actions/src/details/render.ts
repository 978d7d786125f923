import type { ActionRow, Columns } from '../row.ts'
import type { Address } from '../trace.ts'

/** JSON of the API. */
export type Json =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }
/** Members of `details` in a reply, snake_case; amounts are decimal strings. */
export type Details = { readonly [key: string]: Json | undefined }

/** What details depend on besides the action. */
export interface RenderContext {
  /** Name known for a marketplace or collection address. */
  readonly nameOf: (address: Address) => string | undefined
  /** Decides which EVAA assets are known. */
  readonly network: 'mainnet' | 'testnet'
}

type Render<T> = (row: ActionRow, context: RenderContext) => T

/** Columns that hold an object. */
type Group = {
  [K in keyof Columns]-?: NonNullable<Columns[K]> extends object ? K : never
}[keyof Columns]
type MemberOf<G extends Group> = keyof NonNullable<Columns[G]> & string

/** A column, or `column.member`; absent is null, and amounts are decimal strings. */
type Path = Exclude<keyof Columns, Group> | { [G in Group]: `${G}.${MemberOf<G>}` }[Group]

/**
 * Details by name, in the order of replies. A name that ends with `?` is left out when its value is null; one
 * whose function returns undefined is left out too.
 */
export type Fields = { readonly [name: string]: Path | null | Render<Json | undefined> }

/** Details of one type: a table, or a function where names depend on the row. */
export type Shape = Fields | Render<Details>

/** Columns under their own names. */
export const columns = (...names: readonly Exclude<keyof Columns, Group>[]): Fields =>
  Object.fromEntries(names.map((name) => [name, name]))

/** Members of a column under their own names. */
export const from = <G extends Group>(group: G, ...names: readonly MemberOf<G>[]): Fields =>
  Object.fromEntries(names.map((name) => [name, `${group}.${name}` as Path]))

type Stored = bigint | string | number | boolean | readonly Json[] | null | undefined

/** Rows from the classifier hold amounts as bigints; rows that went through JSON hold strings already. */
const plain = (value: Stored): Json => (typeof value === 'bigint' ? value.toString() : (value ?? null))

/** Some members of a stored object, absent ones as null. */
export const pick = <T extends object>(
  stored: T | undefined,
  ...names: readonly (keyof T & string)[]
): Details => Object.fromEntries(names.map((name) => [name, plain(stored?.[name] as Stored)]))

/** An amount, or a number that the API prints as a string. */
export const text = (value: bigint | number | string | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

/** An integer that the API prints as a JSON number: exactly, whatever its size. */
export function number(value: bigint | number | string | null | undefined): number | bigint | null {
  if (value === null || value === undefined) return null
  const exact = BigInt(value)
  const near = Number(exact)
  return Number.isSafeInteger(near) ? near : exact
}

/** What renders the details of a type. */
export function rendererOf(shape: Shape): Render<Details> {
  if (typeof shape === 'function') return shape
  const members = Object.entries(shape).map(([key, field]) => {
    const isOptional = key.endsWith('?')
    return { name: isOptional ? key.slice(0, -1) : key, isOptional, read: readerOf(field) }
  })
  return (row, context) => {
    const details: Record<string, Json> = {}
    for (const { name, isOptional, read } of members) {
      const value = read(row, context)
      if (value !== undefined && !(isOptional && value === null)) details[name] = value
    }
    return details
  }
}

function readerOf(field: Fields[string]): Render<Json | undefined> {
  if (field === null) return () => null
  if (typeof field === 'function') return field
  const [column, member] = field.split('.') as [keyof Columns, string?]
  if (member === undefined) return (row) => plain(row[column] as Stored)
  return (row) => plain((row[column] as Readonly<Record<string, Stored>> | null | undefined)?.[member])
}
