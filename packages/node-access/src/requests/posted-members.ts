import type { ExactJson } from '@shardwalk/api-schema'
import { type BodyType, readMembers } from './posted-lists.ts'

/** A body whose values are all texts: a form of either kind, or XML. */
export interface TextForm {
  /** A multipart form arrives as JSON. */
  readonly type: BodyType
  readonly names: readonly string[]
  /** Names of lists; of other names that are repeated, the last value counts. */
  readonly lists: readonly string[]
}

type Entry = Readonly<Record<string, ExactJson>>

/**
 * The body as it would be in JSON. Names match in any case and without their underscores, as in TON Center,
 * which knows them as `InitCode` here. Throws `InvalidQuery`.
 */
export function readPostedMembers(bytes: Uint8Array, { type, names, lists }: TextForm): Entry {
  const given = new Map<string, ExactJson>()
  for (const [name, value] of Object.entries(readMembers(bytes, type)))
    given.set(withoutUnderscores(name), value as ExactJson)
  const members: Record<string, ExactJson> = {}
  for (const name of names) {
    const key = withoutUnderscores(name)
    const value = lists.includes(name)
      ? [...entriesOf(given.get(key)), ...bracketedEntries(key, given)]
      : [given.get(key)].flat().at(-1)
    if (value !== undefined && value !== '') members[name] = value as ExactJson
  }
  return members
}

const withoutUnderscores = (name: string): string => name.toLowerCase().replaceAll('_', '')

/** `<Stack><Type>num</Type><Value>5</Value></Stack>`. */
const entriesOf = (value: ExactJson | undefined): readonly ExactJson[] =>
  Array.isArray(value) ? value.map(withLowerCaseNames) : []

function withLowerCaseNames(value: ExactJson): ExactJson {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]))
}

/** `stack[0][type]=num&stack[0][value]=5`. */
function bracketedEntries(list: string, given: ReadonlyMap<string, ExactJson>): readonly Entry[] {
  const entries = new Map<number, Record<string, ExactJson>>()
  for (const [name, value] of given) {
    const [, index, member] = name.startsWith(`${list}[`)
      ? (BRACKETS.exec(name.slice(list.length)) ?? [])
      : []
    if (index === undefined || member === undefined) continue
    const entry = entries.get(Number(index)) ?? {}
    entry[member] = [value].flat().at(-1) as ExactJson
    entries.set(Number(index), entry)
  }
  return [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry)
}

const BRACKETS = /^\[(\d{1,4})\]\[(\w+)\]$/
