import type { ExactJson } from './exact-json.ts'
import type { V2Kind } from './kinds.ts'
import { shown, type V2Form, V2Refusal } from './refusal.ts'

/** A parameter of a method, the same in a query string and in JSON. */
export interface V2Parameter<T> {
  readonly kind: V2Kind<unknown>
  readonly description: string
  readonly required: boolean
  readonly default?: string | number | boolean
  /** An empty value counts as absent; `query`: only in query strings. */
  readonly emptyIsAbsent?: true | 'query'
  /** Error text if the parameter is absent from the query string. Default: it is read as an empty value. */
  readonly missing?: string
  /** Whether errors of the kind are prefixed with `failed to parse <name>`. */
  readonly isLabelled?: boolean
  readonly isList?: boolean
  readonly check?: (value: never) => string | undefined
  /** Type of the value; never set. */
  readonly type?: T
}

/** Parameters of a method by name, in the order in which they are checked. */
export type V2Parameters = Readonly<Record<string, V2Parameter<unknown>>>
/** Values as passed to handlers. */
export type V2Values<P extends V2Parameters> = {
  readonly [K in keyof P]: NonNullable<P[K]['type']> | OptionalOf<P[K]>
}
type OptionalOf<P> = P extends V2Parameter<infer T> ? Extract<T, undefined> : never

interface Extra<T> extends Pick<V2Parameter<T>, 'emptyIsAbsent' | 'missing' | 'isLabelled'> {
  readonly check?: (value: T) => string | undefined
}

/** An absent value is refused by its kind, or with `missing`. */
export const required = <T>(kind: V2Kind<T>, description: string, extra: Extra<T> = {}): V2Parameter<T> =>
  ({ kind, description, required: true, ...extra }) as V2Parameter<T>

/** Undefined if absent. */
export const optional = <T>(
  kind: V2Kind<T>,
  description: string,
  extra: Extra<T> = {},
): V2Parameter<T | undefined> =>
  ({ kind, description, required: false, ...extra }) as V2Parameter<T | undefined>

/** `fallback` if absent. */
export const withDefault = <T extends string | number | bigint | boolean>(
  kind: V2Kind<T>,
  fallback: T,
  description: string,
  extra: Extra<T> = {},
): V2Parameter<T> =>
  ({
    kind,
    description,
    required: false,
    default: typeof fallback === 'bigint' ? Number(fallback) : fallback,
    fallback,
    ...extra,
  }) as V2Parameter<T>

/** All occurrences in a query string; an array in JSON. */
export const listOf = <T>(kind: V2Kind<T>, description: string): V2Parameter<readonly T[]> =>
  ({ kind, description, required: false, isList: true }) as V2Parameter<readonly T[]>

/** Checks, with error texts of TON Center; undefined: the value passes. */
export const positive = (name: string) => (value: number | bigint) =>
  value > 0 ? undefined : `${name} should be positive`
/** See `positive`. */
export const nonNegative = (name: string) => (value: number | bigint) =>
  value >= 0 ? undefined : `${name} should be non-negative`
/** Positive and at most `max`. */
export const upTo = (name: string, max: number) => (value: number | bigint) =>
  value <= 0
    ? `${name} should be positive`
    : value > max
      ? `${name} should be less or equal ${max}`
      : undefined

/**
 * Reads parameters from a query string: the first value of each name. Unknown names are ignored. Throws
 * `V2Refusal`.
 */
export function readV2Query<P extends V2Parameters>(
  parameters: P,
  given: ReadonlyMap<string, readonly string[]>,
) {
  return readAll(parameters, (name, parameter) => {
    const texts = given.get(name)
    if (parameter.isList) return (texts ?? []).map((item) => convertText(name, parameter, item))
    let text = texts?.[0]
    if (text === '' && parameter.emptyIsAbsent) text = undefined
    if (text !== undefined) return convertText(name, parameter, text)
    if (!parameter.required) return undefined
    if (parameter.missing !== undefined) throw new V2Refusal(parameter.missing, 'validate')
    return convertText(name, parameter, '')
  })
}

/**
 * Reads parameters from a JSON object. Unknown members other than `@extra` are refused. Throws `V2Refusal`.
 */
export function readV2Body<P extends V2Parameters>(
  parameters: P,
  body: { readonly [key: string]: ExactJson },
) {
  for (const key of Object.keys(body))
    if (!Object.hasOwn(parameters, key) && key !== '@extra')
      throw new V2Refusal(`Error at path '': Unknown property '${shown(key)}'`)
  return readAll(parameters, (name, parameter) => {
    let value = Object.hasOwn(body, name) ? body[name] : undefined
    if (value === '' && parameter.emptyIsAbsent === true) value = undefined
    if (value === undefined || value === null) {
      if (parameter.required) throw new V2Refusal(`Error at path '${name}': Field is missing`)
      return parameter.isList ? [] : undefined
    }
    if (!parameter.isList) return convertJson(name, parameter, value)
    if (!Array.isArray(value)) throw new V2Refusal(`failed to parse ${name}: an array is expected`)
    return (value as readonly ExactJson[]).map((item) => convertJson(name, parameter, item))
  })
}

function readAll<P extends V2Parameters>(
  parameters: P,
  read: (name: string, parameter: V2Parameter<unknown>) => unknown,
): V2Values<P> {
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(parameters))
    values[name] = read(name, parameter) ?? (parameter as { readonly fallback?: unknown }).fallback
  for (const [name, parameter] of Object.entries(parameters)) {
    if (values[name] === undefined) continue
    const problem = parameter.check?.(values[name] as never)
    if (problem !== undefined) throw new V2Refusal(problem, 'validate')
  }
  return values as V2Values<P>
}

const convertText = (name: string, parameter: V2Parameter<unknown>, value: string): unknown =>
  convert(name, parameter, () => parameter.kind.fromText(value), 'get')
const convertJson = (name: string, parameter: V2Parameter<unknown>, value: ExactJson): unknown =>
  convert(name, parameter, () => parameter.kind.fromJson(value), 'post')

function convert(name: string, parameter: V2Parameter<unknown>, read: () => unknown, form: V2Form): unknown {
  let value: unknown
  try {
    value = read()
  } catch (error) {
    if (!(error instanceof V2Refusal) || !parameter.isLabelled || form === 'post') throw error
    throw new V2Refusal(`failed to parse ${name}: ${error.inner}`, 'parse')
  }
  if (value === undefined) {
    const accepts = form === 'post' ? `; accepted: ${parameter.kind.accepts}` : ''
    throw new V2Refusal(`failed to parse ${name}${accepts}`)
  }
  return value
}
