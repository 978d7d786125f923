import type * as z from 'zod'
import { deriveSchemas } from '../derived-schemas.ts'
import { describeProperties } from '../describe-properties.ts'
import { textsOf, toSchema } from '../openapi.ts'
import type { ProfileRules } from '../profiles.ts'
import { eventSchemas } from './events.ts'
import { ANSWER_FRAMES, REQUEST_FRAMES, SubscriptionBody } from './frames.ts'
import { V1_ANSWER_FRAMES, V1_REQUEST_FRAMES, V1SubscriptionBody, v1EventSchemas } from './v1.ts'

type JsonObject = Record<string, unknown>

/** Where this server is reached, and which version of the protocol it speaks. */
export interface AsyncApiOptions {
  readonly version: string
  readonly rules: ProfileRules
  /** Host and port where clients reach the server. */
  readonly host: string
  /** Path below which they reach it, as `/ton`; or empty. */
  readonly prefix: string
  /** Whether they reach it by TLS. */
  readonly isSecure: boolean
  /** Whether version 1 is offered. */
  readonly v1: boolean
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

type Messages = Channel['messages']

/** A version of the protocol of streams. */
interface Version {
  /** Of its channels and operations. */
  readonly suffix: '' | 'V1'
  readonly path: string
  readonly frames: Messages
  readonly answers: Messages
  readonly body: z.ZodType
  readonly events: Messages
  readonly about: { readonly webSocket: string; readonly serverSentEvents: string }
}

const DEPRECATED = 'Deprecated, to be replaced by version 2.'

const versionsOf = (rules: ProfileRules, v1: boolean): readonly Version[] => [
  {
    suffix: '',
    path: '/api/streaming/v2',
    frames: REQUEST_FRAMES,
    answers: ANSWER_FRAMES,
    body: SubscriptionBody,
    events: eventSchemas(rules).stream,
    about: {
      webSocket: 'Also without `/api`. A subscription may be changed ten times a second.',
      serverSentEvents:
        'Also without `/api`. The body of the `POST` is the subscription; notifications have the event ' +
        'name `event`, the first frame `connected`. `Last-Event-ID` takes the place of `resume_from`.',
    },
  },
  ...(v1
    ? [
        {
          ...({ suffix: 'V1', path: '/api/streaming/v1', frames: V1_REQUEST_FRAMES } as const),
          answers: V1_ANSWER_FRAMES,
          body: V1SubscriptionBody,
          events: v1EventSchemas(rules),
          about: { webSocket: DEPRECATED, serverSentEvents: DEPRECATED },
        },
      ]
    : []),
]

const channelsOf = ({ suffix, path, frames, answers, body, events, about }: Version): Channels => ({
  [`webSocket${suffix}`]: {
    address: `${path}/ws`,
    description: about.webSocket,
    messages: { ...frames, ...answers, ...events },
    bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
    servers: ['webSocket'],
  },
  [`serverSentEvents${suffix}`]: {
    address: `${path}/sse`,
    description: about.serverSentEvents,
    messages: { subscription: body, ...answers, ...events },
    servers: ['http'],
  },
})

type Channels = Readonly<Record<string, Channel>>

/**
 * AsyncAPI 3.0 document of streams and webhooks. Operations are those of the server: it receives what clients
 * send.
 */
export function asyncApiDocument({ version, rules, v1, ...reached }: AsyncApiOptions): JsonObject {
  const { webhook } = eventSchemas(rules)
  const versions = versionsOf(rules, v1)
  const channels: Channels = {
    ...Object.fromEntries(versions.flatMap((one) => Object.entries(channelsOf(one)))),
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
    servers: serversOf(reached),
    channels: Object.fromEntries(
      Object.entries(channels).map(([name, channel]) => [name, channelOf(channel, messages[name]!)]),
    ),
    operations: {
      ...Object.fromEntries(versions.flatMap((one) => Object.entries(operationsOf(one)))),
      postEvents: operation('send', 'webhooks', webhook, 'What happens, until the receiver accepts it.'),
    },
    components: {
      schemas: withPlainDiscriminators(describeProperties(deriveSchemas(schemas), textsOf)),
      securitySchemes: {
        APIKeyHeader: { type: 'httpApiKey', in: 'header', name: 'X-API-Key' },
        APIKeyQuery: { type: 'httpApiKey', in: 'query', name: 'api_key' },
      },
    },
  }
}

const SECURITY = [
  { $ref: '#/components/securitySchemes/APIKeyHeader' },
  { $ref: '#/components/securitySchemes/APIKeyQuery' },
]

type Reached = Pick<AsyncApiOptions, 'host' | 'prefix' | 'isSecure'>

function serversOf({ host, prefix, isSecure }: Reached): JsonObject {
  const place = { host, ...(prefix && { pathname: prefix }) }
  return {
    webSocket: { ...place, protocol: isSecure ? 'wss' : 'ws', security: SECURITY },
    http: { ...place, protocol: isSecure ? 'https' : 'http', security: SECURITY },
  }
}

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

function operation(
  action: 'send' | 'receive',
  channel: string,
  messages: Messages,
  summary: string,
): JsonObject {
  return {
    action,
    channel: { $ref: `#/channels/${channel}` },
    summary,
    messages: Object.keys(messages).map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
  }
}

const ASKED = 'What clients ask for.'
const ANSWERED = 'Whether it was accepted.'
const EVENT_SUMMARY = 'What happens.'

function operationsOf({ suffix, frames, answers, body, events }: Version): JsonObject {
  const [socket, stream] = [`webSocket${suffix}`, `serverSentEvents${suffix}`]
  return {
    [`receiveFrames${suffix}`]: operation('receive', socket, frames, ASKED),
    [`answerFrames${suffix}`]: operation('send', socket, answers, ANSWERED),
    [`sendEvents${suffix}`]: operation('send', socket, events, EVENT_SUMMARY),
    [`receiveSubscription${suffix}`]: operation('receive', stream, { subscription: body }, ASKED),
    [`answerSubscription${suffix}`]: operation('send', stream, answers, ANSWERED),
    [`sendServerSentEvents${suffix}`]: operation('send', stream, events, EVENT_SUMMARY),
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
