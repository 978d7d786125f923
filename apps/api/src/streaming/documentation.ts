import {
  asyncApiDocument,
  KEY_REFUSALS,
  type OtherFailure,
  StreamRefusal,
  SubscriptionBody,
  V1SubscriptionBody,
} from '@shardwalk/api-schema'
import type { Express } from 'express'
import * as z from 'zod'
import { mountDocument } from '../documentation.ts'
import { mountPath } from '../http/mount.ts'
import { hostOf, prefixOf } from '../http/own-address.ts'
import { sendJson } from '../http/reply-writer.ts'
import type { ApiServices } from '../services.ts'
import type { StreamingOptions } from './streams.ts'

const BASE = '/api/streaming'

const HealthReply = z
  .object({
    ok: z.boolean(),
    now: z.int(),
    components: z.record(z.string(), z.looseObject({ ok: z.boolean() })),
  })
  .meta({ id: 'StreamingHealth' })

const REFUSED_KEY = {
  ...KEY_REFUSALS,
  429: 'Too many requests, or as many streams as this client may have are open; see Retry-After.',
}
const REFUSED = {
  ...REFUSED_KEY,
  400: 'Invalid subscription, or `resume_from` is not among the blocks that are `indexed`.',
  503: 'Shutting down, or nothing is indexed yet to resume from; see Retry-After.',
}

interface StreamRoute {
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly body?: z.ZodObject
  readonly success?: { readonly status: number; readonly description: string; readonly type?: string }
  readonly fails: Readonly<Record<number, string | OtherFailure>>
  readonly deprecated?: boolean
}

const STREAM = { status: 200, description: 'The stream.', type: 'text/event-stream' }
const WEB_SOCKET = {
  success: { status: 101, description: 'A WebSocket.' },
  fails: { ...REFUSED_KEY, 426: { description: 'Not an upgrade.' }, 503: 'Shutting down.' },
}

const ROUTES: readonly StreamRoute[] = [
  {
    path: `${BASE}/v2/sse`,
    summary: 'Events as server-sent events',
    description:
      'The body is the subscription, the reply an endless stream: first `connected`, then an `event` for ' +
      'each notification. `/api/streaming/asyncapi.json` describes the events. Also without `/api`.',
    body: SubscriptionBody,
    success: STREAM,
    fails: REFUSED,
  },
  {
    path: `${BASE}/v2/ws`,
    summary: 'Events over a WebSocket',
    description:
      'Frames `subscribe`, `unsubscribe` and `ping`, described by `/api/streaming/asyncapi.json`. Browsers ' +
      'name their key as `api_key`. Also without `/api`.',
    ...WEB_SOCKET,
  },
  {
    path: `${BASE}/healthz`,
    summary: 'Whether events are read',
    description: 'The newest block of which events were sent, and when the tables were read.',
    fails: { 503: { description: 'The tables were not read for 15 s.', reply: HealthReply } },
  },
]

const V1_ROUTES: readonly StreamRoute[] = [
  {
    path: `${BASE}/v1/sse`,
    summary: 'Events of version 1 as server-sent events',
    description: 'Types for what is pending and for what is final, without finality. Also without `/api`.',
    body: V1SubscriptionBody,
    success: STREAM,
    fails: REFUSED,
    deprecated: true,
  },
  {
    path: `${BASE}/v1/ws`,
    summary: 'Events of version 1 over a WebSocket',
    description:
      'Frames `subscribe`, `set_subscription`, `configure`, `unsubscribe` and `ping`, described by ' +
      '`/api/streaming/asyncapi.json`. Also without `/api`.',
    ...WEB_SOCKET,
    deprecated: true,
  },
]

/** The descriptions of the streams: OpenAPI with its page, and AsyncAPI. */
export function mountStreamingDocumentation(
  app: Express,
  services: ApiServices,
  { v1 = false }: Pick<StreamingOptions, 'v1'>,
): () => object {
  mountPath(app, `${BASE}/asyncapi.json`, (request, response) => {
    const { version, rules } = services
    const reached = { host: hostOf(request), prefix: prefixOf(request), isSecure: request.secure }
    sendJson(response, JSON.stringify(asyncApiDocument({ version, rules, v1, ...reached })))
  })
  return mountDocument(app, services, BASE, () => ({
    title: 'Shardwalk streaming API',
    description: 'What happens to accounts and traces, as it happens; compatible with TON Center.',
    errorReply: StreamRefusal,
    routes: [...ROUTES, ...(v1 ? V1_ROUTES : [])].map((route) => ({
      tag: 'streaming',
      query: z.object({}),
      reply: HealthReply,
      ...route,
    })),
  }))
}
