import type { z } from 'zod'
import { deriveSchemas } from '../derived-schemas.ts'
import { describeProperties } from '../describe-properties.ts'
import { textsOf, toSchema } from '../openapi.ts'
import type { ProfileRules } from '../profiles.ts'
import { eventSchemas } from './events.ts'
import { ANSWER_FRAMES, REQUEST_FRAMES, SubscriptionBody } from './frames.ts'

type JsonObject = Record<string, unknown>

export interface AsyncApiOptions {
  readonly version: string
  readonly rules: ProfileRules
  /** Host and port where clients reach the server. */
  readonly host: string
  /** Whether they reach it by TLS. */
  readonly isSecure: boolean
}

const DESCRIPTION =
  'Events of accounts and traces, over WebSocket and server-sent events with the protocol of TON Center, ' +
  'and posted to webhooks. Shapes are those of API v3.'

interface Channel {
  readonly address: string | null
  readonly description: string
  readonly messages: Readonly<Record<string, z.ZodType>>
  readonly bindings?: JsonObject
  readonly servers?: readonly string[]
}

/**
 * AsyncAPI 3.0 document of streams and webhooks. Operations are those of the server: it receives what clients
 * send.
 */
export function asyncApiDocument({ version, rules, host, isSecure }: AsyncApiOptions): JsonObject {
  const { stream, webhook } = eventSchemas(rules)
  const channels: Readonly<Record<string, Channel>> = {
    webSocket: {
      address: '/api/streaming/v2/ws',
      description: 'Also without `/api`. A subscription may be changed ten times a second.',
      messages: { ...REQUEST_FRAMES, ...ANSWER_FRAMES, ...stream },
      bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
      servers: ['webSocket'],
    },
    serverSentEvents: {
      address: '/api/streaming/v2/sse',
      description:
        'Also without `/api`. The body of the `POST` is the subscription; notifications have the event ' +
        'name `event`, the first frame `connected`. `Last-Event-ID` has the meaning of `resume_from`.',
      messages: { subscription: SubscriptionBody, ...ANSWER_FRAMES, ...stream },
      servers: ['http'],
    },
    webhooks: {
      address: null,
      description: 'A URL of `shardwalk webhooks add`, signed by Standard Webhooks. See docs/webhooks.md.',
      messages: webhook,
    },
  }
  const schemas: JsonObject = {}
  const payloads = Object.entries(channels).map(([name, { messages }]) => [
    name,
    Object.fromEntries(
      Object.entries(messages).map(([key, schema]) => [key, messageOf(key, schema, schemas)]),
    ),
  ])
  const messages = Object.fromEntries(payloads) as Record<string, JsonObject>
  return {
    asyncapi: '3.0.0',
    info: { title: 'Shardwalk streams', version, description: DESCRIPTION },
    defaultContentType: 'application/json',
    servers: serversOf(host, isSecure),
    channels: Object.fromEntries(
      Object.entries(channels).map(([name, channel]) => [name, channelOf(channel, messages[name]!)]),
    ),
    operations: operationsOf({ stream: Object.keys(stream), webhook: Object.keys(webhook) }),
    components: {
      schemas: withPlainDiscriminators(describeProperties(deriveSchemas(schemas), textsOf)),
      securitySchemes: {
        apiKeyHeader: { type: 'httpApiKey', in: 'header', name: 'X-API-Key' },
        apiKeyQuery: { type: 'httpApiKey', in: 'query', name: 'api_key' },
      },
    },
  }
}

const SECURITY = [
  { $ref: '#/components/securitySchemes/apiKeyHeader' },
  { $ref: '#/components/securitySchemes/apiKeyQuery' },
]

const serversOf = (host: string, isSecure: boolean): JsonObject => ({
  webSocket: { host, protocol: isSecure ? 'wss' : 'ws', security: SECURITY },
  http: { host, protocol: isSecure ? 'https' : 'http', security: SECURITY },
})

const channelOf = (
  { address, description, bindings, servers }: Channel,
  messages: JsonObject,
): JsonObject => ({
  address,
  description,
  messages,
  ...(servers && { servers: servers.map((name) => ({ $ref: `#/servers/${name}` })) }),
  ...(bindings && { bindings }),
})

function messageOf(name: string, schema: z.ZodType, schemas: JsonObject): JsonObject {
  const { description } = (schema.meta() ?? {}) as { readonly description?: string }
  return { name, ...(description && { summary: description }), payload: toSchema(schema, schemas) }
}

function operationsOf({
  stream,
  webhook,
}: {
  readonly stream: readonly string[]
  readonly webhook: readonly string[]
}): JsonObject {
  const operation = (
    action: 'send' | 'receive',
    channel: string,
    names: readonly string[],
    summary: string,
  ) => ({
    action,
    channel: { $ref: `#/channels/${channel}` },
    summary,
    messages: names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
  })
  const answers = Object.keys(ANSWER_FRAMES)
  return {
    receiveFrames: operation('receive', 'webSocket', Object.keys(REQUEST_FRAMES), 'What clients ask for.'),
    answerFrames: operation('send', 'webSocket', answers, 'Whether it was accepted.'),
    sendEvents: operation('send', 'webSocket', stream, 'What happens.'),
    receiveSubscription: operation(
      'receive',
      'serverSentEvents',
      ['subscription'],
      'What a client asks for.',
    ),
    answerSubscription: operation('send', 'serverSentEvents', answers, 'Whether it was accepted.'),
    sendServerSentEvents: operation('send', 'serverSentEvents', stream, 'What happens.'),
    postEvents: operation('send', 'webhooks', webhook, 'What happens, until the receiver accepts it.'),
  }
}

/** AsyncAPI has the name of the member alone, where OpenAPI has an object. */
const withPlainDiscriminators = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      'discriminator' in (schema as JsonObject)
        ? { ...(schema as JsonObject), discriminator: 'type' }
        : schema,
    ]),
  )
