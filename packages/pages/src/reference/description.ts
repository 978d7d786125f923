/** The parts of an OpenAPI document that the reference shows. */
export interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** An operation of OpenAPI. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly deprecated?: boolean
  readonly parameters?: readonly Parameter[]
  /** Fields of the posted object. */
  readonly 'x-fields'?: readonly Parameter[]
  readonly responses: Readonly<Record<string, Response>>
}

/** A parameter of OpenAPI, or a field of a posted object. */
export interface Parameter {
  readonly name: string
  readonly required?: boolean
  readonly description: string
  readonly schema: Schema
}

interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description: string }>>
  /** By media type. */
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

/** A schema of OpenAPI, as JSON Schema has it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly examples?: readonly unknown[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  /** Of a union whose members have a name and a type that tells them. */
  readonly oneOf?: readonly Schema[]
  /** Name of a schema whose members it has, too. */
  readonly 'x-extends'?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
}

/** An endpoint of the reference. */
export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  readonly description: Description
}

/** All operations of a description, in its order. */
export const endpointsOf = (description: Description): Endpoint[] =>
  Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation, description })),
  )

/** The name of a referenced schema. */
const nameOf = ({ $ref }: Schema): string | undefined => $ref?.slice($ref.lastIndexOf('/') + 1)

/** `array of integer (int32)`, `Transaction`, `string or null`. */
export function typeInWords(schema: Schema): string {
  const name = nameOf(schema)
  if (name !== undefined) return name
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeInWords))].join(' or ')
  if (schema.oneOf) return `one of ${schema.oneOf.length} schemas, by its type`
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ')
  if (schema.items) return `array of ${typeInWords(schema.items)}`
  if (typeof schema.additionalProperties === 'object')
    return `map to ${typeInWords(schema.additionalProperties)}`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any')
  return schema.format ? `${type} (${schema.format})` : String(type)
}

/** Names of the schemas that a reply contains, itself first, each once. */
export function schemasIn({ schemas }: Description['components'], root: Schema | undefined): string[] {
  const names: string[] = []
  const waiting: Schema[] = root ? [root] : []
  for (let schema = waiting.shift(); schema; schema = waiting.shift()) {
    const name = nameOf(schema)
    if (name !== undefined) {
      if (names.includes(name) || !schemas[name]) continue
      names.push(name)
      waiting.push(schemas[name]!)
      continue
    }
    const { additionalProperties: values, 'x-extends': extended } = schema
    waiting.push(
      ...(extended === undefined ? [] : [{ $ref: extended }]),
      ...Object.values(schema.properties ?? {}),
      ...[schema.anyOf, schema.oneOf].flatMap((parts) => parts ?? []),
      ...(schema.items ? [schema.items] : []),
      ...(typeof values === 'object' ? [values] : []),
    )
  }
  return names
}

/** The members of a schema; those of what it extends are shown there. */
export function fieldsOf(
  { anyOf, ...own }: Schema,
  { schemas }: Description['components'],
): [string, Schema][] {
  const extended = schemas[own['x-extends'] ?? '']?.properties ?? {}
  // Forms of a union may have fields in common.
  const fields = new Map((anyOf ?? [own]).flatMap(({ properties }) => Object.entries(properties ?? {})))
  return [...fields].filter(([name, field]) => !isEqual(field, extended[name]))
}

const isEqual = (one: Schema, other: Schema | undefined) => JSON.stringify(one) === JSON.stringify(other)

/** The elector, which every network has. */
const ELECTOR = `-1:${'3'.repeat(64)}`
/** Values where one of several parameters has to be given, by path of API v3. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  transactionsByMessage: { opcode: '0x00000000' },
  balanceChanges: { trace_id: '0'.repeat(64) },
  accountStates: { address: ELECTOR },
  'dns/records': { wallet: ELECTOR },
  'multisig/wallets': { address: ELECTOR },
  'multisig/orders': { multisig_address: ELECTOR },
  pendingTransactions: { account: ELECTOR },
  pendingTraces: { account: ELECTOR },
  pendingActions: { account: ELECTOR },
  vesting: { wallet_address: ELECTOR },
}

/** A call of the endpoint that can be pasted into a shell. `base`: where this server is reached. */
export function curlOf({ method, path, operation }: Endpoint, base: string): string {
  if (method === 'post') {
    const body = Object.fromEntries(
      (operation['x-fields'] ?? []).map(({ name, schema }) => [name, exampleOf(schema)]),
    )
    return `curl '${base}${path}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
  }
  const needed = NEEDED[path.replace(/^\/api\/v3\/(export\/)?/, '')] ?? {}
  const given = (operation.parameters ?? [])
    .filter(({ required, name }) => required === true || name === 'limit' || name in needed)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(needed[name] ?? exampleOf(schema)))}`)
  return `curl '${base}${path}${given.length > 0 ? `?${given.join('&')}` : ''}'`
}

function exampleOf(schema: Schema): unknown {
  if (schema.items) return exampleOf(schema.items)
  return (
    schema.examples?.[0] ??
    schema.default ??
    schema.enum?.[0] ??
    (schema.type === 'integer' ? (schema.minimum ?? 1) : '')
  )
}
