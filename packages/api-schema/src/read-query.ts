import type * as z from 'zod'
import {
  type ListFacts,
  PARAMETERS,
  type ParameterFacts,
  type QuerySchema,
  splitValues,
} from './parameters.ts'
import type { ProfileRules } from './profiles.ts'

/** Invalid input of a client: HTTP 422. The message has the parameter, what is wrong and what is accepted. */
export class InvalidQuery extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidQuery'
  }
}

/** What the server decides about queries, the same for all endpoints. */
export interface ReadQueryOptions {
  readonly rules: QueryRules
  /** Replaces the default of `limit`, where it is not the endpoint's own. */
  readonly defaultLimit?: number | undefined
  /** Parameters that every endpoint accepts and that are read elsewhere. */
  readonly alsoKnown: readonly string[]
}

/** The differences between profiles that concern the reading of queries. */
export type QueryRules = Pick<ProfileRules, 'unknownParameter' | 'badValues' | 'emptyValues' | 'longLists'>

/** Parameters as values, and what was not understood. */
export interface QueryRead<T> {
  readonly value: T
  /** Unknown names, which had no effect. */
  readonly ignored: readonly string[]
}

/** Values of a query string by name, in order. `name[]` and `name[0]` are read as `name`. */
export type RawQuery = ReadonlyMap<string, readonly string[]>

/** How lists of PHP, and of libraries after it, write one element. */
const BRACKETS = /\[\d{0,9}\]$/

/** Undoes the percent-encoding; never throws. */
export function parseQueryString(text: string): RawQuery {
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const key = name.replace(BRACKETS, '')
    const known = values.get(key)
    if (known) known.push(value)
    else values.set(key, [value])
  }
  return values
}

/** Reads a query by its schema. Throws `InvalidQuery`. */
export function readQuery<S extends QuerySchema>(
  schema: S,
  given: RawQuery,
  options: ReadQueryOptions,
): QueryRead<z.output<S>> {
  const known = Object.keys(schema.shape)
  const raw = options.rules.unknownParameter === 'ignore' ? inKnownCase(given, known) : given
  const ignored = [...raw.keys()].filter((name) => !known.includes(name) && !options.alsoKnown.includes(name))
  if (ignored.length > 0 && options.rules.unknownParameter === 'reject')
    throw new InvalidQuery(unknownParameter(ignored, known))
  const input: Record<string, readonly string[]> = {}
  for (const [name, parameter] of Object.entries(schema.shape)) {
    const values = valuesOf(name, factsOf(name, parameter), raw.get(name), options)
    if (values) input[name] = values
  }
  const result = schema.safeParse(input)
  if (!result.success) throw new InvalidQuery(describeIssues(result.error.issues))
  return { value: result.data, ignored }
}

/** Names match in any letter case, as in TON Center: a filter must not be left out for a capital. */
function inKnownCase(given: RawQuery, known: readonly string[]): RawQuery {
  const raw = new Map<string, string[]>()
  for (const [name, values] of given) {
    const lower = name.toLowerCase()
    const key = known.includes(lower) ? lower : name
    const others = raw.get(key)
    if (others) for (const value of values) others.push(value)
    else raw.set(key, [...values])
  }
  return raw
}

/** The values of one parameter as the schema reads them; undefined when it counts as absent. */
function valuesOf(
  name: string,
  facts: ParameterFacts,
  given: readonly string[] | undefined,
  { rules, defaultLimit }: ReadQueryOptions,
): readonly string[] | undefined {
  const { kind, list } = facts
  if (list) return given && listValues(name, { list, kind }, given, rules)
  const text = given?.at(-1)
  const value =
    text !== undefined && rules.badValues === 'replace' && kind.replace ? kind.replace(text) : text
  if (value !== undefined && !(value === '' && kind.emptyIsAbsent)) return [value]
  return facts.isPageLimit && defaultLimit !== undefined ? [String(defaultLimit)] : undefined
}

function listValues(
  name: string,
  { list, kind }: { readonly list: ListFacts; readonly kind: ParameterFacts['kind'] },
  given: readonly string[],
  rules: QueryRules,
): readonly string[] | undefined {
  const count = splitValues(given, list.commas).length
  if (rules.longLists === 'reject' && count > list.max)
    throw new InvalidQuery(`parameter "${name}" takes at most ${list.max} values, got ${count}`)
  if (rules.emptyValues === 'reject') return given
  const values = splitValues(given, list.commas)
    .filter((text) => text !== '')
    .flatMap((text) => (rules.badValues === 'replace' && kind.replace ? (kind.replace(text) ?? []) : text))
  return values.length > 0 || list.emptyMatchesNothing ? values : undefined
}

function unknownParameter(ignored: readonly string[], known: readonly string[]): string {
  const name = ignored[0]!
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
  if (known.length === 0) return `unknown parameter ${shown}; this endpoint has none`
  return `unknown parameter ${shown}; did you mean "${closestName(name, known)}"?${others(ignored.length)}`
}

function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const [name, index] = issues[0]!.path
  const message = issues[0]!.message
  if (name === undefined) return message + others(issues.length)
  const text = /^(is |takes )/.test(message)
    ? `parameter "${String(name)}" ${message}`
    : index === undefined
      ? `wrong value for parameter "${String(name)}": ${message}`
      : `wrong value for index ${String(index)} of parameter "${String(name)}": ${message}`
  return text + others(issues.length)
}

function others(count: number): string {
  if (count < 2) return ''
  return count === 2 ? ' (and 1 other error)' : ` (and ${count - 1} other errors)`
}

/** The known name that shares most words with the given one; among equals, the one with the fewest edits. */
export function closestName(name: string, known: readonly string[]): string {
  let best = { name: known[0]!, score: -1 }
  for (const candidate of known) {
    const score = likeness(name.toLowerCase(), candidate)
    if (score > best.score) best = { name: candidate, score }
  }
  return best.name
}

function likeness(a: string, b: string): number {
  const words = b.split('_')
  const shared = a.split(/[^a-z0-9]+/).filter((word) => words.includes(word)).length
  return shared / words.length + 1 - edits(a.slice(0, 64), b) / Math.max(a.length, b.length, 1)
}

/** Levenshtein distance. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]!
}

/** Facts of each parameter of a query, by name, in order. */
export function parametersOf(schema: QuerySchema) {
  return Object.entries(schema.shape).map(([name, parameter]) => ({ name, ...factsOf(name, parameter) }))
}

function factsOf(name: string, parameter: z.ZodType): ParameterFacts {
  const facts = PARAMETERS.get(parameter)
  if (!facts) throw new Error(`parameter ${name} was not made by optional, required, withDefault or listOf`)
  return facts
}
