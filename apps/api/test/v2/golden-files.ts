import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type ExactJson, parseExactJson } from '@shardwalk/api-schema'

export interface GoldenEntry {
  readonly name: string
  readonly method: string
  readonly http: {
    readonly verb: string
    readonly path: string
    readonly query?: readonly (readonly [string, string])[]
    readonly raw_query?: string
    readonly body?: ExactJson
    readonly raw?: string
    readonly content_type?: string
  }
  readonly status: number
  readonly body?: ExactJson
  readonly volatile: readonly string[]
}

const GROUPS = [
  'accounts',
  'blocks',
  'configuration',
  'json-rpc',
  'run-method',
  'send',
  'tokens',
  'transactions',
  'utils',
]

let entries: readonly GoldenEntry[] | undefined

/** Read once per worker: that takes as long as asking some of them. */
export function readGoldenEntries(): readonly GoldenEntry[] {
  entries ??= GROUPS.flatMap((group) => {
    const file = new URL(`../../../../fixtures/api-v2/${group}.json.gz`, import.meta.url)
    return parseExactJson(gunzipSync(readFileSync(file)).toString()) as unknown as GoldenEntry[]
  })
  return entries
}

/** True when the pattern matches this path or an ancestor. */
export function covers(pattern: string, path: string): boolean {
  const steps = path.split('/').slice(1)
  const isAnyDepth = pattern.startsWith('**/')
  const wanted = isAnyDepth ? pattern.slice(3).split('/') : pattern.split('/').slice(1)
  const matchesAt = (start: number) =>
    wanted.every((step, i) => start + i < steps.length && (step === '*' || step === steps[start + i]))
  return isAnyDepth ? steps.some((_, start) => matchesAt(start)) : matchesAt(0)
}

type JsonObject = Readonly<Record<string, ExactJson | undefined>>
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Paths at which two values differ. `same` may treat texts as equal. */
export function differences(
  given: ExactJson | undefined,
  wanted: ExactJson | undefined,
  same: (a: string, b: string) => boolean,
  path = '',
): string[] {
  if (Object.is(given, wanted)) return []
  if (typeof given === 'string' && typeof wanted === 'string' && same(given, wanted)) return []
  if (Array.isArray(given) && Array.isArray(wanted) && given.length === wanted.length)
    return given.flatMap((item, i) => differences(item, wanted[i], same, `${path}/${i}`))
  if (isObject(given) && isObject(wanted))
    return [...new Set([...Object.keys(given), ...Object.keys(wanted)])].flatMap((key) =>
      differences(given[key], wanted[key], same, `${path}/${key}`),
    )
  return [path || '/']
}
