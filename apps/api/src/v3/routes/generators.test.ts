import {
  ErrorReply,
  openApiDocument,
  PROFILES,
  profileRules,
  toSwagger,
  v2OpenApiDocument,
} from '@shardwalk/api-schema'
import { describe, expect, test } from 'vitest'
import { routeFacts } from '../../http/route.ts'
import { V3_ROUTES } from './index.ts'

// Forms of OpenAPI that widespread generators of clients need, found by trying them: docs/clients.md.

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly items?: unknown
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly oneOf?: readonly { readonly $ref: string }[]
  readonly discriminator?: { readonly propertyName: string }
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly operationId: string; readonly tags: readonly string[] }>>
    >
  >
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: object
  }
}

const v3 = (profile: (typeof PROFILES)[number]) => {
  const rules = profileRules(profile)
  const routes = V3_ROUTES.map((route) => routeFacts(route, rules))
  const texts = { title: 'title', version: '0', description: 'description' }
  return openApiDocument({ ...texts, routes, errorReply: ErrorReply })
}
const described = v3('standard')
const swagger = toSwagger(described)
const v2 = v2OpenApiDocument({ version: '0' })
const documents = { v3: described, 'v3 of TON Center': v3('toncenter'), 'v3 as Swagger 2.0': swagger, v2 }

/** Every schema within a value, with the path that leads to it. */
function* schemasIn(value: unknown, path = ''): Generator<[string, Schema & Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null || path.endsWith('/example')) return
  if (!Array.isArray(value) && !path.endsWith('/properties'))
    yield [path, value as Schema & Record<string, unknown>]
  for (const [key, item] of Object.entries(value)) yield* schemasIn(item, `${path}/${key}`)
}

test.each(Object.entries(documents))('lists and single values in %s have a type', (_name, document) => {
  const wrong = [...schemasIn(document)].filter(
    ([, schema]) =>
      'const' in schema ||
      (Array.isArray(schema.enum) && schema.type === undefined) ||
      ([schema.type].flat().includes('array') && schema.items === undefined),
  )
  expect(wrong.map(([path]) => path)).toEqual([])
})

test('no list of required members is empty in Swagger 2.0, where that is an error', () => {
  const wrong = [...schemasIn(swagger)].filter(([, { required }]) => required?.length === 0)
  expect(wrong.map(([path]) => path)).toEqual([])
})

describe.each(PROFILES)('unions of profile %s', (profile) => {
  const { schemas } = (v3(profile) as unknown as Document).components

  test('every variant says in itself which value of the discriminator it is', () => {
    const unions = Object.values(schemas).flatMap(({ oneOf, discriminator }) =>
      oneOf && discriminator ? [{ oneOf, member: discriminator.propertyName }] : [],
    )
    const values = unions.flatMap(({ oneOf, member }) =>
      oneOf.map(({ $ref }) => {
        const { properties, required } = schemas[$ref.replace('#/components/schemas/', '')]!
        expect(required).toContain(member)
        const { type, enum: [value, ...others] = [] } = properties![member]!
        expect([type, typeof value, others], $ref).toEqual(['string', 'string', []])
        return value
      }),
    )
    expect(values.length).toBeGreaterThan(80)
    expect(new Set(values).size).toBe(values.length)
  })
})

test('Action has members of its own in Swagger 2.0, which has no unions', () => {
  const { Action } = swagger['definitions'] as Record<string, Schema>
  expect(Object.keys(Action!.properties!)).toEqual(expect.arrayContaining(['trace_id', 'type', 'details']))
  expect(Action!.properties!['type']!.enum).toBeUndefined()
})

test('clients are given keys by the names that TON Center uses, and send them', () => {
  const names = ['APIKeyHeader', 'APIKeyQuery']
  for (const document of [described, v2])
    expect(Object.keys((document as unknown as Document).components.securitySchemes)).toEqual(names)
  expect(Object.keys(swagger['securityDefinitions'] as object)).toEqual(names)
  for (const document of [described, v2, swagger])
    expect(document['security']).toEqual([{}, { APIKeyHeader: [] }, { APIKeyQuery: [] }])
})

test('operations of API v2 have the names and tags that TON Center gives them', () => {
  const { paths } = v2 as unknown as Document
  for (const [path, operations] of Object.entries(paths))
    for (const [verb, { operationId }] of Object.entries(operations))
      expect(operationId).toBe(`${path.replace('/api/v2/', '')}_${verb}`)
  const tags = new Set(
    Object.values(paths).flatMap((verbs) => Object.values(verbs).flatMap((one) => one.tags)),
  )
  const wanted = ['Accounts', 'Blocks', 'Configuration', 'RPC', 'Run method', 'Send', 'Transactions', 'Utils']
  expect([...tags].sort()).toEqual(wanted)
})
