import * as z from 'zod'
import type { ValueKind } from './value-kinds.ts'

/** Facts about a parameter besides its type, for documentation, OpenAPI and the query reader. */
export interface ParameterFacts {
  readonly description: string
  readonly kind: ValueKind<unknown>
  readonly required: boolean
  readonly default?: string | number | boolean
  /** Whether the route refuses requests without it, with an error of its own. */
  readonly isNeeded?: boolean
  /** Whether `DEFAULT_LIMIT` replaces the default. */
  readonly isPageLimit?: boolean
  /** Set for parameters that take several values, repeated or separated by commas. */
  readonly list?: ListFacts
}

/** Limits of a parameter with several values. `max`: number of values that are accepted. */
export interface ListFacts {
  readonly max: number
  /** Whether values may also be separated by commas. */
  readonly commas: boolean
  /**
   * Whether a list of empty values matches nothing in the profile `toncenter`; otherwise it does not filter.
   */
  readonly emptyMatchesNothing?: boolean
}

/** Facts of every parameter schema created by the functions below. */
export const PARAMETERS = z.registry<ParameterFacts>()

/** Schema of a query: every property reads all values given for its name. */
export type QuerySchema = z.ZodObject<Record<string, z.ZodType>>

const texts = z.array(z.string())

/** A parameter with one value; if repeated, the last value is used. */
export function optional<T>(kind: ValueKind<T>, description: string) {
  return texts
    .optional()
    .transform((given, ctx): T | undefined => lastOf(kind, given, ctx))
    .register(PARAMETERS, { kind, description, required: false })
}

/** A parameter without which a request is refused; if repeated, the last value is used. */
export function required<T>(kind: ValueKind<T>, description: string) {
  return texts
    .optional()
    .transform((given, ctx): T => {
      if (given === undefined) return refuse(ctx, 'is required')
      return convert(kind, given.at(-1)!, ctx)
    })
    .register(PARAMETERS, { kind, description, required: true })
}

/** As `optional`, with a value in its absence. */
export function withDefault<T extends string | number | boolean>(
  kind: ValueKind<T>,
  fallback: T,
  description: string,
) {
  return texts
    .optional()
    .transform((given, ctx): T => lastOf(kind, given, ctx) ?? fallback)
    .register(PARAMETERS, { kind, description, required: false, default: fallback })
}

/** Maximum number of rows on a page; `DEFAULT_LIMIT` replaces the default. */
export function pageLimit(kind: ValueKind<number>, fallback: number) {
  const description = 'Maximum number of rows to return.'
  return texts
    .optional()
    .transform((given, ctx): number => lastOf(kind, given, ctx) ?? fallback)
    .register(PARAMETERS, { kind, description, required: false, default: fallback, isPageLimit: true })
}

/**
 * A parameter with several values: repeated or, unless `commas` is false, separated by commas. `readQuery`
 * counts them.
 */
export function listOf<T>(
  kind: ValueKind<T>,
  max: number,
  description: string,
  { commas = true, ...more }: Partial<Omit<ListFacts, 'max'>> = {},
) {
  return texts
    .optional()
    .transform((given, ctx): readonly T[] | undefined => {
      if (given === undefined) return undefined
      const values = splitValues(given, commas)
      return values.map((text, index) => convert(kind, text, ctx, values.length > 1 ? index : undefined))
    })
    .register(PARAMETERS, { kind, description, required: false, list: { max, commas, ...more } })
}

/** All values of a list; see `ListFacts.commas`. */
export const splitValues = (given: readonly string[], commas: boolean): readonly string[] =>
  commas ? given.flatMap((text) => text.split(',')) : given

/** A parameter with several text values, by repetition only; empty ones are ignored. */
export function repeated<T>(kind: ValueKind<T>, max: number, description: string) {
  return texts
    .optional()
    .transform((given, ctx): readonly T[] | undefined => {
      const values = given?.filter((text) => text !== '') ?? []
      if (values.length === 0) return undefined
      return values.map((text, index) => convert(kind, text, ctx, values.length > 1 ? index : undefined))
    })
    .register(PARAMETERS, { kind, description, required: false, list: { max, commas: false } })
}

/** The parameter, documented as required. */
export function needed<S extends z.ZodType>(parameter: S): S {
  PARAMETERS.add(parameter as z.ZodType, { ...PARAMETERS.get(parameter as z.ZodType)!, isNeeded: true })
  return parameter
}

type Context = z.core.$RefinementCtx

function lastOf<T>(kind: ValueKind<T>, given: readonly string[] | undefined, ctx: Context): T | undefined {
  const text = given?.at(-1)
  if (text === undefined || (text === '' && kind.emptyIsAbsent)) return undefined
  return convert(kind, text, ctx)
}

function convert<T>(kind: ValueKind<T>, text: string, ctx: Context, index?: number): T {
  const parsed = kind.parse(text)
  if ('value' in parsed) return parsed.value
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text
  return refuse(ctx, `${JSON.stringify(shown)} ${parsed.problem}; accepted: ${kind.accepts}`, index)
}

function refuse(ctx: Context, message: string, index?: number): never {
  ctx.addIssue({ code: 'custom', message, path: index === undefined ? [] : [index] })
  return z.NEVER
}
