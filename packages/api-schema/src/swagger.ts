import { commonPart } from './derived-schemas.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * The same description as Swagger 2.0, which clients of TON Center fetch at `/api/v3/doc.json`. It supports
 * neither unions nor null: a union of objects becomes one object with the members of all, and null becomes
 * `x-nullable`.
 */
export function toSwagger(document: JsonObject): JsonObject {
  const { info, tags, paths, components, security } = document as {
    readonly info: JsonObject
    readonly tags: unknown
    readonly security: unknown
    readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>
    readonly components: {
      readonly schemas: Readonly<Record<string, unknown>>
      readonly securitySchemes: JsonObject
    }
  }
  return {
    swagger: '2.0',
    info,
    tags,
    basePath: '/',
    consumes: ['application/json'],
    produces: ['application/json'],
    paths: mapValues(paths, (operations) => mapValues(operations, operationOf)),
    definitions: mapValues(components.schemas, (schema) =>
      schemaOf(withoutUnion(schema, components.schemas)),
    ),
    securityDefinitions: components.securitySchemes,
    security,
  }
}

/** Of a union what its variants have in common. */
function withoutUnion(schema: unknown, schemas: Readonly<Record<string, unknown>>): unknown {
  const { oneOf, description } = schema as JsonObject & {
    readonly oneOf?: readonly { readonly $ref: string }[]
  }
  if (!oneOf) return schema
  const first = schemas[oneOf[0]!.$ref.replace('#/components/schemas/', '')]
  return { ...commonPart(first as Parameters<typeof commonPart>[0]), description }
}

const mapValues = <T, U>(object: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>
}

function operationOf({ parameters, requestBody, responses, 'x-fields': _, ...rest }: JsonObject): JsonObject {
  const types = Object.keys((responses as Record<number, Content>)[200]?.content ?? {})
  return {
    ...rest,
    ...(types.length > 1 && { produces: types }),
    parameters: requestBody
      ? [{ name: 'body', in: 'body', required: true, schema: jsonSchema(requestBody) }]
      : (parameters as readonly JsonObject[]).map(parameterOf),
    responses: mapValues(responses as Readonly<Record<string, JsonObject>>, responseOf),
  }
}

/** Replies in several formats are texts. */
const jsonSchema = ({ content = {} }: Content): unknown =>
  Object.keys(content).length > 1 ? { type: 'string' } : schemaOf(content['application/json']?.schema ?? {})

function parameterOf({ schema, style: _style, explode: _explode, ...rest }: JsonObject): JsonObject {
  const { items, ...own } = withoutExample(schemaOf(schema) as JsonObject)
  if (items === undefined) return { ...rest, ...own }
  return { ...rest, ...own, items: withoutExample(items as JsonObject), collectionFormat: 'multi' }
}

const withoutExample = ({ example: _, ...rest }: JsonObject): JsonObject => rest

const responseOf = ({ description, headers, ...content }: JsonObject): JsonObject => ({
  description,
  schema: jsonSchema(content),
  ...(headers !== undefined && {
    headers: mapValues(headers as Readonly<Record<string, JsonObject>>, ({ description, schema }) => ({
      description,
      ...(schema as JsonObject),
    })),
  }),
})

/** Keywords that Swagger 2.0 lacks. */
const LOST = ['propertyNames', 'examples', 'id', '$schema']

function schemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(schemaOf)
  if (typeof schema !== 'object' || schema === null) return schema
  const given = schema as JsonObject
  if (typeof given['$ref'] === 'string')
    return { $ref: given['$ref'].replace('#/components/schemas/', '#/definitions/') }
  const { type, ...untyped } = given
  if (Array.isArray(type))
    return unionOf(
      type.map((one: string) => (one === 'null' ? { type: one } : { ...untyped, type: one })),
      {},
    )
  if (Array.isArray(given['anyOf'])) return unionOf(given['anyOf'], given)
  const kept = Object.entries(given).filter(([key]) => !LOST.includes(key))
  const [example] = (given['examples'] ?? []) as readonly unknown[]
  return {
    ...Object.fromEntries(
      kept.map(([key, value]) => [
        key,
        key === 'properties' ? mapValues(value as JsonObject, schemaOf) : schemaOf(value),
      ]),
    ),
    ...(example !== undefined && { example }),
  }
}

const isNull = (schema: unknown): boolean => (schema as JsonObject)['type'] === 'null'

function unionOf(options: readonly unknown[], { description }: JsonObject): JsonObject {
  const own = options.filter((option) => !isNull(option)).map((option) => schemaOf(option) as JsonObject)
  const merged = own.length === 1 ? single(own[0]!) : merge(own)
  return {
    ...merged,
    ...(description !== undefined && { description }),
    ...(own.length < options.length && { 'x-nullable': true }),
  }
}

/** A reference must not have siblings. */
const single = (schema: JsonObject): JsonObject => ('$ref' in schema ? { allOf: [schema] } : schema)

function merge(options: readonly JsonObject[]): JsonObject {
  if (options.every((option) => option['type'] === 'object')) return mergeObjects(options)
  const types = new Set(options.map((option) => option['type']))
  const values = options.flatMap((option) => (option['enum'] ?? []) as readonly unknown[])
  return { ...(types.size === 1 && { type: [...types][0] }), ...(values.length > 0 && { enum: values }) }
}

function mergeObjects(options: readonly JsonObject[]): JsonObject {
  const properties = options.map((option) => (option['properties'] ?? {}) as Record<string, JsonObject>)
  const names = [...new Set(properties.flatMap(Object.keys))]
  const required = options.map((option) => (option['required'] ?? []) as readonly string[])
  const requiredByAll = names.filter((name) => required.every((own) => own.includes(name)))
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => {
        const found = properties.flatMap((own) => own[name] ?? [])
        return [name, found.length === 1 ? found[0] : merge(found as readonly JsonObject[])]
      }),
    ),
    // An empty list is an error in Swagger 2.0.
    ...(requiredByAll.length > 0 && { required: requiredByAll }),
    additionalProperties: false,
  }
}
