/**
 * Output of the decoders: strings, booleans, objects and lists of them. There are no numbers, because
 * integers of any width are printed as decimal strings.
 */
export type Json = string | boolean | JsonObject | readonly Json[]

/** With keys in the order in which they are printed. */
export interface JsonObject {
  [key: string]: Json
}

/** The same value with the keys of every object in code-unit order. */
export function sortKeys(value: Json): Json {
  if (typeof value !== 'object') return value
  if (isList(value)) return value.map(sortKeys)
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key] as Json)]),
  )
}

const isList = (value: JsonObject | readonly Json[]): value is readonly Json[] => Array.isArray(value)
