import type { Json } from '../client.ts'

/** A call of an operation. */
export interface Call {
  readonly version: 'v2' | 'v3'
  readonly verb: 'get' | 'post'
  readonly path: string
  readonly operationId: string
  /** Undefined if the operation takes none. */
  readonly query?: Json | undefined
  readonly body?: unknown
  /** Whether the reply is rows as text. */
  readonly isExport?: boolean
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<number, { readonly content?: Json }>>
  readonly parameters?: readonly { readonly name: string; readonly schema: Json }[]
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

export interface Asked {
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** One call of every operation of a description, with values in the types that it declares. */
export function callsOf(
  version: Call['version'],
  { paths }: Description,
  asked: (verb: Call['verb'], path: string) => Asked | undefined,
): Call[] {
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).flatMap(([name, operation]) => {
      const verb = name as Call['verb']
      const found = asked(verb, path)
      if (!found) return []
      const { operationId } = operation
      const parameters = (operation.parameters ?? verbs['get']?.parameters ?? []) as Parameters
      const values = parameters.length > 0 ? typed(parameters, found.query ?? {}) : undefined
      const types = Object.keys(operation.responses[200]?.content ?? {})
      const call = { version, verb, path, operationId, isExport: types.includes('text/csv') }
      return [verb === 'get' ? { ...call, query: values } : { ...call, body: found.body ?? values ?? {} }]
    }),
  )
}

type Parameters = NonNullable<Operation['parameters']>

const typed = (parameters: Parameters, query: Json): Json =>
  Object.fromEntries(
    parameters.flatMap(({ name, schema }) => {
      const value = query[name]
      if (value === undefined) return []
      if (schema['type'] !== 'array') return [[name, scalar(schema, value)]]
      return [[name, [value].flat().map((one) => scalar(schema['items'] as Json, one))]]
    }),
  )

function scalar({ type }: Json, value: unknown): unknown {
  if (type === 'integer' || type === 'number') return Number(value)
  return type === 'boolean' ? String(value) === 'true' : String(value)
}

const HEAD = `
import { appendFileSync } from 'node:fs'
const [, , base = '', output = ''] = process.argv
const report = (name: string, status: number, url: string, data: unknown): void =>
  appendFileSync(output, JSON.stringify({ name, status, url, data }) + '\\n')
/** Refuses what a generator could not describe: any and unknown. */
const described = <T extends object | undefined>(value: 0 extends 1 & T ? never : T): T => value as T
`

const nameOf = ({ version, verb, path }: Call): string => `${version} ${verb} ${path}`
const literal = (value: unknown): string => JSON.stringify(value)

/** A program that makes the calls with openapi-fetch and the types of openapi-typescript. */
export function fetchProgram(calls: readonly Call[]): string {
  const one = (call: Call): string => {
    const { version, verb, path, query, body, isExport } = call
    const options = [
      ...(isExport ? [`parseAs: 'text'`] : []),
      ...(query ? [`params: { query: ${literal(query)} }`] : []),
      ...(body === undefined ? [] : [`body: ${literal(body)}`]),
    ]
    const request = `${version}.${verb.toUpperCase()}(${literal(path)}, { ${options.join(', ')} })`
    if (isExport)
      return `{
  const { data, response } = await ${request}
  report(${literal(nameOf(call))}, response.status, response.url, data)
}`
    return `{
  const { data, error, response } = await ${request}
  report(${literal(nameOf(call))}, response.status, response.url, described(data) ?? error)
}`
  }
  return `${HEAD}
import createClient from 'openapi-fetch'
import type { components, paths as V3 } from './v3.ts'
import type { paths as V2 } from './v2.ts'
const v3 = createClient<V3>({ baseUrl: base })
const v2 = createClient<V2>({ baseUrl: base })
${calls.map(one).join('\n')}

/** A type says what its details are. */
export function amountOf(action: components['schemas']['Action']): string | null | undefined {
  return action.type === 'jetton_transfer' ? action.details.amount : undefined
}
`
}

/** A program that makes the calls with functions that orval generated. */
export function orvalProgram(calls: readonly Call[]): string {
  const names = (version: string) => [
    ...new Set(
      calls.filter((call) => call.version === version).map(({ operationId }) => camelCase(operationId)),
    ),
  ]
  const one = (call: Call): string => {
    const { query, body, operationId, isExport } = call
    const argument = query ? literal(query) : body === undefined ? '' : literal(body)
    if (isExport)
      return `{
  const reply = await ${camelCase(operationId)}(${argument})
  if (!('stream' in reply)) throw new Error('no stream')
  // A row of it is a row of the list: compiled, not run.
  const first = (): Promise<object> => described(reply.stream).json()
  void first
  report(${literal(nameOf(call))}, reply.status, '', await reply.stream.text())
}`
    return `{
  const { data, status } = await ${camelCase(operationId)}(${argument})
  report(${literal(nameOf(call))}, status, '', described(data))
}`
  }
  const imports = (['v2', 'v3'] as const).map(
    (version) => `import { ${names(version).join(', ')} } from './orval-${version}.ts'`,
  )
  // Its functions have the address of the server in them.
  return `${HEAD}${imports.join('\n')}\nvoid base\n${calls.map(one).join('\n')}\n`
}

/** As orval names functions. */
const camelCase = (name: string): string =>
  name.replace(/[_-]+(.)/g, (_, letter: string) => letter.toUpperCase())
