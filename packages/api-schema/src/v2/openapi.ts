import { describeProperties } from '../describe-properties.ts'
import { KEY_REFUSALS, SECURITY, SECURITY_SCHEMES, SERVERS, toSchema } from '../openapi.ts'
import { V2_ALIASES, V2_METHODS, type V2Method, type V2MethodName } from './methods.ts'
import type { V2Parameter } from './parameters.ts'
import { V2_PROPERTY_TEXTS } from './property-texts.ts'
import { V2_RESULTS } from './results/index.ts'

type JsonObject = Record<string, unknown>

type Errors = Readonly<Record<number, string>>

const ERRORS: Errors = {
  ...KEY_REFUSALS,
  422: 'A parameter is missing, malformed or out of range.',
  429: 'The rate limit was exceeded.',
  500: 'A lite server returned an error, whose text is repeated.',
  503: 'Too many requests are in progress.',
  504: 'No lite server answered in time.',
  542: 'No lite server of the required kind is available, or a stack entry has an unsupported type.',
}

const NO_TRANSACTION = { 404: 'There is no such transaction.' }
const TOO_DEEP = { 533: 'The resulting stack is too deep.' }
/** Of some methods. */
const OWN_ERRORS: Partial<Record<V2MethodName, Errors>> = {
  getTokenData: { 409: 'The account is no contract of a jetton or NFT.' },
  sendBocReturnHashNoError: { 400: 'No lite server accepted the message.' },
  tryLocateTx: NO_TRANSACTION,
  tryLocateResultTx: NO_TRANSACTION,
  tryLocateSourceTx: NO_TRANSACTION,
  runGetMethod: TOO_DEEP,
  runGetMethodStd: TOO_DEEP,
}
const RPC_ERRORS: Errors = Object.assign({}, ...Object.values(OWN_ERRORS), {
  404: 'The method is unknown, or there is no such transaction.',
})

/** `version`: that of the program. */
export interface V2OpenApiOptions {
  readonly version: string
  /** A reply for each method. */
  readonly examples?: Readonly<Record<string, unknown>> | undefined
}

/** OpenAPI 3.1 document of API v2, from the definitions that are used to parse requests. */
export function v2OpenApiDocument({ version, examples = {} }: V2OpenApiOptions): JsonObject {
  const schemas: JsonObject = { Failure: FAILURE }
  const methods = Object.keys(V2_METHODS).map((name) => [name, name] as const)
  const paths = [...methods, ...Object.entries(V2_ALIASES)].map(([path, name]) => [
    `/api/v2/${path}`,
    pathItem(path, {
      method: V2_METHODS[name as V2MethodName],
      errors: OWN_ERRORS[name as V2MethodName],
      reply: replyOf(name as V2MethodName, schemas, examples[name]),
    }),
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Shardwalk API v2',
      version,
      description:
        'Reads the state of TON from lite servers and verifies every answer. Compatible with TON Center ' +
        'v2. JSON-RPC requests go to POST /api/v2/jsonRPC.',
    },
    servers: SERVERS,
    tags: [...new Set(Object.values(V2_METHODS).map(({ tag }) => tag)), 'RPC'].map((name) => ({ name })),
    paths: { ...Object.fromEntries(paths), '/api/v2/jsonRPC': { post: rpcOperation() } },
    components: {
      schemas: describeProperties(schemas, () => V2_PROPERTY_TEXTS),
      securitySchemes: SECURITY_SCHEMES,
    },
    security: SECURITY,
  }
}

/** Media type of the replies of a method; its schemas are added to `schemas`. */
function replyOf(name: V2MethodName, schemas: JsonObject, example: unknown): JsonObject {
  const result = toSchema(V2_RESULTS[name], schemas)
  const schema = { ...SUCCESS, properties: { ...SUCCESS.properties, result } }
  const id = `${name[0]!.toUpperCase()}${name.slice(1)}Response`
  schemas[id] = schema
  return {
    schema: { $ref: `#/components/schemas/${id}` },
    ...(example !== undefined && { example }),
  }
}

interface Described {
  readonly method: V2Method
  readonly errors: Errors | undefined
  /** Media type of its replies. */
  readonly reply: JsonObject
}

function pathItem(name: string, { method, errors, reply }: Described): JsonObject {
  const parameters = Object.entries(method.parameters).map(([key, parameter]) => describe(key, parameter))
  const common = {
    summary: method.summary,
    description: `Result: \`${method.result}\`.${method.beyondSeed ? ADDITION : ''}`,
    tags: [method.tag],
    responses: responses(reply, errors),
  }
  const post = {
    ...common,
    // Named as TON Center names operations.
    operationId: `${name}_post`,
    requestBody: { required: true, content: { 'application/json': { schema: bodySchema(method) } } },
  }
  // The documentation page also shows the fields of bodies.
  if (method.postOnly) return { post: { ...post, 'x-fields': parameters } }
  return { get: { ...common, operationId: `${name}_get`, parameters }, post }
}

const describe = (name: string, parameter: V2Parameter<unknown>) => ({
  name,
  in: 'query',
  required: parameter.required,
  description: `${parameter.description} Accepted: ${parameter.kind.accepts}.`,
  schema: schemaOf(parameter),
})

function schemaOf({ kind, isList, default: fallback }: V2Parameter<unknown>): JsonObject {
  if (isList) return { type: 'array', items: kind.schema }
  return { ...kind.schema, ...(fallback === undefined ? {} : { default: fallback }) }
}

function bodySchema({ parameters }: V2Method): JsonObject {
  const entries = Object.entries(parameters)
  const required = entries.filter(([, parameter]) => parameter.required).map(([name]) => name)
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(entries.map(([name, parameter]) => [name, schemaOf(parameter)])),
      '@extra': { type: 'string' },
    },
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

const rpcOperation = (): JsonObject => ({
  operationId: 'jsonRPC_post',
  summary: 'Any method by JSON-RPC',
  description: 'Status and reply are those of the method. `id` and `jsonrpc` are repeated in the reply.',
  tags: ['RPC'],
  'x-fields': [
    {
      name: 'method',
      in: 'query',
      required: true,
      description: 'Name of a method.',
      schema: { type: 'string' },
    },
    {
      name: 'params',
      in: 'query',
      required: false,
      description: 'Object of parameters.',
      schema: { type: 'string' },
    },
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            method: { type: 'string', enum: [...Object.keys(V2_METHODS), ...Object.keys(V2_ALIASES)] },
            params: { type: 'object' },
            id: { type: ['string', 'number'] },
            jsonrpc: { type: 'string' },
          },
          required: ['method'],
        },
      },
    },
  },
  responses: responses({ schema: SUCCESS }, RPC_ERRORS),
})

const responses = (reply: JsonObject, errors: Errors = {}): JsonObject => ({
  200: {
    description: 'OK',
    content: { 'application/json': reply },
  },
  ...Object.fromEntries(
    Object.entries({ ...ERRORS, ...errors }).map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } } },
    ]),
  ),
})

const ADDITION = ' Not part of the public TON Center interface.'

const ECHO = {
  '@extra': { type: 'string' },
  jsonrpc: { type: 'string' },
  id: { type: 'string', description: 'Repeated from a JSON-RPC request.' },
}

const just = (value: boolean): JsonObject => ({ type: 'boolean', enum: [value] })

const SUCCESS = {
  type: 'object',
  properties: { ok: just(true), result: { type: ['object', 'array', 'string'], items: {} }, ...ECHO },
  required: ['ok', 'result', '@extra'],
}

const FAILURE = {
  type: 'object',
  properties: { ok: just(false), error: { type: 'string' }, code: { type: 'integer' }, ...ECHO },
  // Who is refused by the key or rate is repeated only what was sent.
  required: ['ok', 'error', 'code'],
}
