import * as z from 'zod'
import { deriveSchemas } from './derived-schemas.ts'
import { describeProperties } from './describe-properties.ts'
import type { QuerySchema } from './parameters.ts'
import { parametersOf } from './read-query.ts'
import { ACTION_TEXTS } from './v3/action-texts.ts'
import { PROPERTY_TEXTS } from './v3/property-texts.ts'

type JsonObject = Record<string, unknown>

/**
 * The root of the service relative to the description, `/api/<interface>/openapi.json`: a reverse proxy may
 * publish both below a path.
 */
export const SERVERS = [{ url: '../..', description: 'The server of this description' }]

/** Where a key is sent. Generated clients are given it by these names, which are TON Center's. */
export const SECURITY_SCHEMES = {
  APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  APIKeyQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
}

/** One of them or none. */
export const SECURITY = [{}, { APIKeyHeader: [] }, { APIKeyQuery: [] }]

/** A failure whose body is not that of all: JSON with a schema, or a text. */
export interface OtherFailure {
  readonly description: string
  readonly reply?: z.ZodType
}

/** What every route answers to the wrong key. */
export const KEY_REFUSALS = {
  401: 'The API key is unknown, or one is required.',
  403: 'The API key is for another network.',
}

/** The facts about a route that OpenAPI needs. */
export interface RouteFacts {
  readonly path: string
  readonly summary: string
  /** Order, tie-breaks and other facts that the parameters do not describe. */
  readonly description: string
  readonly tag: string
  readonly query: QuerySchema
  readonly reply: z.ZodType
  /** Error statuses of the route and when they occur. */
  readonly fails: Readonly<Record<number, string | OtherFailure>>
  /** Whether the reply can be streamed as NDJSON or CSV and continued with a cursor. */
  readonly list?: boolean
  /** Set when the reply is rows as NDJSON or CSV: columns of the latter. `reply` is the schema of a row. */
  readonly columns?: readonly string[] | undefined
  readonly deprecated?: boolean
  /** Schema of the posted object; undefined for a GET route. */
  readonly body?: z.ZodObject
  /** Set when TON Center's name does not follow from the path. */
  readonly operationId?: string
  /** Set when success is not a JSON object: the status and what comes then. */
  readonly success?: { readonly status: number; readonly description: string; readonly type?: string }
}

/** What the document contains besides schemas, which the routes lead to. */
export interface OpenApiOptions {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly routes: readonly RouteFacts[]
  readonly errorReply: z.ZodType
  /** Replaces the default of `limit`. */
  readonly defaultLimit?: number | undefined
  /** A reply for each operation, by verb and path: `get jetton/masters`. */
  readonly examples?: Readonly<Record<string, unknown>> | undefined
}

/** OpenAPI 3.1 document: paths from the routes, schemas from the zod schemas that have an id. */
export function openApiDocument({
  title,
  version,
  description,
  routes,
  errorReply,
  defaultLimit,
  examples = {},
}: OpenApiOptions): JsonObject {
  const schemas: JsonObject = {}
  const refer = (schema: z.ZodType): JsonObject => toSchema(schema, schemas)
  const paths: Record<string, JsonObject> = {}
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.body ? 'post' : 'get']: operation(route, refer, { errorReply, defaultLimit, examples }),
    }
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    servers: SERVERS,
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: describeProperties(deriveSchemas(schemas), textsOf),
      securitySchemes: SECURITY_SCHEMES,
    },
    security: SECURITY,
  }
}

const textsOfActions = { ...PROPERTY_TEXTS, ...ACTION_TEXTS }
/** Texts of the properties of a schema. */
export const textsOf = (schema: string) =>
  /^Action[A-Z](?!hase)/.test(schema) ? textsOfActions : PROPERTY_TEXTS

type Needed<Key extends keyof OpenApiOptions> = Pick<OpenApiOptions, Key>

const headersOf = (route: RouteFacts): JsonObject => ({
  'X-Indexed-Mc-Seqno': header('integer', 'Seqno of the newest masterchain block the reply may reflect.'),
  ...(route.list && {
    'X-Next-Cursor': header('string', 'Present if there are more rows. Pass it as `cursor`.'),
  }),
  ...(route.columns && {
    'X-Export-Max-Rows': header('integer', 'Number of rows after which the export ends, if there are more.'),
  }),
})

function operation(
  route: RouteFacts,
  refer: (schema: z.ZodType) => JsonObject,
  { errorReply, defaultLimit, examples }: Needed<'errorReply' | 'defaultLimit' | 'examples'>,
): JsonObject {
  const failures = Object.entries(route.fails).map(([status, failure]) => [
    status,
    typeof failure === 'string'
      ? { description: failure, content: { 'application/json': { schema: refer(errorReply) } } }
      : { description: failure.description, content: contentOfFailure(failure, refer) },
  ])
  const operationId = route.operationId ?? operationIdOf(route)
  const example = examples?.[`${route.body ? 'post' : 'get'} ${route.path.replace('/api/v3/', '')}`]
  return {
    operationId,
    summary: route.summary,
    description: route.description,
    tags: [route.tag],
    ...(route.deprecated && { deprecated: true }),
    ...(route.body
      ? postedBody(route.body, refer)
      : { parameters: parametersOf(route.query).map((one) => parameterOf(one, defaultLimit)) }),
    responses: {
      ...(route.success
        ? otherSuccess(route.success)
        : {
            200: {
              description: route.columns ? EXPORT_FORMS : route.list ? LIST_FORMS : 'OK',
              headers: headersOf(route),
              content: contentOf(route, refer(route.reply), example),
            },
          }),
      ...Object.fromEntries(failures),
    },
  }
}

const contentOfFailure = ({ reply }: OtherFailure, refer: (schema: z.ZodType) => JsonObject): JsonObject =>
  reply ? { 'application/json': { schema: refer(reply) } } : { 'text/plain': { schema: { type: 'string' } } }

const otherSuccess = ({ status, description, type }: NonNullable<RouteFacts['success']>): JsonObject => ({
  [status]: { description, ...(type && { content: { [type]: { schema: { type: 'string' } } } }) },
})

function contentOf({ columns }: RouteFacts, schema: JsonObject, example: unknown): JsonObject {
  const shown = example !== undefined && { example }
  if (!columns) return { 'application/json': { schema, ...shown } }
  return {
    'application/x-ndjson': { schema, ...shown },
    'text/csv': { schema: { type: 'string', examples: [columns.join(',')] } },
  }
}

/**
 * The other formats are not listed as `content`, because generated clients would then return a union of
 * object and text for every list. Exports have operations of their own.
 */
const LIST_FORMS =
  'OK. With `Accept: application/x-ndjson` or `text/csv` and exports enabled, all rows as text instead.'
const EXPORT_FORMS =
  'Rows: one JSON object per line (`format=ndjson`), or a line of columns and one line per row ' +
  '(`format=csv`). Trailers: `X-Export-Rows`, `X-Export-Complete` and, if rows are left, `X-Next-Cursor`.'

/** TON Center's names: `api_v3_get_account_states` of `GET /api/v3/accountStates`. */
const operationIdOf = ({ path, body }: RouteFacts): string =>
  `${path.startsWith('/api/v3/') ? 'api_v3' : 'api'}_${body ? 'post' : 'get'}_${path
    .replace(/^\/api\/(v3\/)?/, '')
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replaceAll('/', '_')}`

/** The request body, with its fields also listed as parameters for the documentation page. */
function postedBody(body: z.ZodObject, refer: (schema: z.ZodType) => JsonObject): JsonObject {
  const reference = refer(body)
  const parts: JsonObject = {}
  const { $ref } = toSchema(body, parts) as { readonly $ref: string }
  const schema = parts[$ref.slice($ref.lastIndexOf('/') + 1)] as {
    readonly properties: Record<string, JsonObject>
    readonly required?: readonly string[]
  }
  const fields = Object.entries(schema.properties).map(([name, { description = '', ...rest }]) => ({
    name,
    required: schema.required?.includes(name) ?? false,
    description,
    schema: rest,
  }))
  return {
    requestBody: { required: true, content: { 'application/json': { schema: reference } } },
    'x-fields': fields,
  }
}

const parameterOf = (
  parameter: ReturnType<typeof parametersOf>[number],
  defaultLimit: number | undefined,
): JsonObject => ({
  name: parameter.name,
  in: 'query',
  required: parameter.required || parameter.isNeeded === true,
  description: `${parameter.description} Accepted: ${parameter.kind.accepts}.`,
  ...(parameter.list ? { style: 'form', explode: true } : {}),
  schema: parameterSchema(
    parameter.isPageLimit && defaultLimit !== undefined ? { ...parameter, default: defaultLimit } : parameter,
  ),
})

function parameterSchema(parameter: ReturnType<typeof parametersOf>[number]): JsonObject {
  const schema = {
    ...parameter.kind.schema,
    ...(parameter.default === undefined ? {} : { default: parameter.default }),
  }
  return parameter.list ? { type: 'array', items: schema, maxItems: parameter.list.max } : schema
}

const header = (type: string, description: string): JsonObject => ({ description, schema: { type } })

/** JSON Schema of a reply; parts with an id are moved to `schemas` and referenced. */
export function toSchema(schema: z.ZodType, schemas: JsonObject): JsonObject {
  const { own, parts } = described(schema)
  for (const [name, part] of Object.entries(parts)) schemas[name] ??= part
  const name = z.globalRegistry.get(schema)?.id
  if (!name || '$ref' in own) return own
  schemas[name] ??= own
  return { $ref: `#/components/schemas/${name}` }
}

interface Described {
  readonly own: JsonObject
  /** By id. */
  readonly parts: JsonObject
}

const DESCRIBED = new WeakMap<z.ZodType, Described>()

/** Made once: many routes and their errors share schemas, and it takes milliseconds. */
function described(schema: z.ZodType): Described {
  const known = DESCRIBED.get(schema)
  if (known) return known
  const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, { target: 'draft-2020-12' }) as JsonObject
  const made = {
    own: forOpenApi(own) as JsonObject,
    parts: forOpenApi($defs) as JsonObject,
  }
  DESCRIBED.set(schema, made)
  return made
}

/** References to where components are; a constant as an `enum` of one, because older generators know that. */
function forOpenApi(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forOpenApi)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === '$ref' && typeof item === 'string')
        return [key, item.replace('#/$defs/', '#/components/schemas/')]
      return key === 'const' ? ['enum', [item]] : [key, forOpenApi(item)]
    }),
  )
}
