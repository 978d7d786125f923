import {
  EmulateTonConnectBody,
  EmulateTraceBody,
  InvalidEmulation,
  parseQueryString,
  traceReplies,
  V2Refusal,
} from '@shardwalk/api-schema'
import { ManyPreviews, Places } from '@shardwalk/emulation'
import type { Express, Request, Response } from 'express'
import * as z from 'zod'
import { chargeMore } from '../access/charges.ts'
import { clientName } from '../access/client-name.ts'
import { EMULATION_COST } from '../access/cost.ts'
import { mountDocument } from '../documentation.ts'
import { callSignal } from '../http/call-signal.ts'
import { errorBody, HttpError, isAbandoned } from '../http/errors.ts'
import { mountPath } from '../http/mount.ts'
import { queryString } from '../http/query-string.ts'
import { readBytes } from '../http/read-body.ts'
import { sendEncoded, sendJson } from '../http/reply-writer.ts'
import { readRequestSettings } from '../http/request-settings.ts'
import type { ApiServices } from '../services.ts'
import { emulationFailure } from './failures.ts'
import type { PreviewEncoding, Previewer, PreviewQuestion, PreviewReply } from './preview.ts'
import { PreviewsHere } from './previews-here.ts'
import { PreviewsInThread } from './previews-in-thread.ts'

const BASE = '/api/emulate'
const MAX_BODY_BYTES = 256 * 1024

interface EmulateRoute {
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly body: z.ZodObject
  readonly kind: PreviewQuestion['kind']
}

const ROUTES: readonly EmulateRoute[] = [
  {
    path: `${BASE}/v1/emulateTrace`,
    summary: 'What a message would do',
    description:
      'Runs a message, and everything that it causes, on the state after a masterchain block; writes and ' +
      'sends nothing. At most 256 transactions, 32 deep: `is_incomplete` says when something is missing.',
    body: EmulateTraceBody,
    kind: 'trace',
  },
  {
    path: `${BASE}/v1/emulateTonConnect`,
    summary: 'What a request to a wallet would do',
    description:
      'As emulateTrace, with the message that a wallet (v3, v4, v5 or of Telegram) would send for a TON ' +
      'Connect request.',
    body: EmulateTonConnectBody,
    kind: 'tonConnect',
  },
]

const FAILS = {
  400: 'Invalid request.',
  413: 'The body has more than 256 KiB.',
  429: 'Too many requests.',
  500: 'The message is not accepted (`EmulationExternalNotAccepted: <exit code>`), or a state is missing.',
  503: 'Not ready, or too many emulations in progress.',
  504: 'The deadline passed.',
}

export interface EmulationOptions {
  /** Until the reply begins. Milliseconds; default as TON Center: 3,000. */
  readonly deadlineMs: number
  /** Emulations in progress, half of them of one client; default 8. */
  readonly places: number
  /** Settings of the process, for a thread that answers if there are many; undefined: there is none. */
  readonly threadSettings?: Readonly<Record<string, string | undefined>> | undefined
}

const DEFAULTS: EmulationOptions = { deadlineMs: 3_000, places: 8 }

/** Mounts the emulation API. It runs on the threads for untrusted code and messages. */
export function mountEmulation(
  app: Express,
  services: ApiServices,
  options: Partial<EmulationOptions> = {},
): void {
  const { deadlineMs, places: most, threadSettings: settings } = { ...DEFAULTS, ...options }
  const places = new Places(most)
  services.metrics.gauge('emulations_in_progress', 'Emulations in progress.', [], (gauge) =>
    gauge.set({}, places.count),
  )
  const here = new PreviewsHere(services, deadlineMs)
  const previews = settings ? threadIfMany(here, settings, services) : here
  const answering = { services, places, previews, deadlineMs }
  for (const route of ROUTES)
    app
      .route(route.path)
      .post(async (request, response) => {
        response.locals['route'] = route.path
        await chargeMore(request, EMULATION_COST - 1)
        await answer({ route, ...answering }, request, response)
      })
      .all((request) => {
        throw new HttpError(405, `method ${request.method} is not allowed here`, { Allow: 'POST, OPTIONS' })
      })
}

function threadIfMany(
  here: Previewer,
  settings: NonNullable<EmulationOptions['threadSettings']>,
  { log, metrics }: ApiServices,
): Previewer {
  return new ManyPreviews(here, {
    startThread: (onEnd) => new PreviewsInThread({ settings, metrics, onEnd }),
    log,
  })
}

interface Answering {
  readonly route: EmulateRoute
  readonly services: ApiServices
  readonly places: Places
  readonly previews: Previewer
  readonly deadlineMs: number
}

async function answer(
  { route, services, places, previews, deadlineMs }: Answering,
  request: Request,
  response: Response,
): Promise<void> {
  try {
    const body = await readBody(request)
    const question = { ...askedBy(request), kind: route.kind, body }
    const reply = await places.hold(question.client, () =>
      previews.answer(question, callSignal(response, deadlineMs)),
    )
    response.setHeader('Server-Timing', reply.timing)
    send(response, reply)
  } catch (error) {
    const failure = emulationFailure(error)
    if (!failure) throw error
    const { status, message, headers } = failure
    const { method, path } = request
    if (isAbandoned(request, response)) services.log.debug('request abandoned', { method, path, error })
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (status === 413) response.setHeader('Connection', 'close')
    sendJson(response, errorBody({ message, status }), status)
  }
}

function askedBy(request: Request): Omit<PreviewQuestion, 'kind' | 'body'> {
  const encoding = request.acceptsEncodings('br', 'gzip') || undefined
  return {
    client: clientName(request),
    settings: readRequestSettings(request, parseQueryString(queryString(request))),
    encoding: encoding as PreviewEncoding | undefined,
  }
}

function send(response: Response, { body, encoding }: PreviewReply): void {
  if (typeof body === 'string') sendJson(response, body)
  else sendEncoded(response, body, encoding!)
}

async function readBody(request: Request): Promise<Buffer> {
  if (!request.is('application/json')) throw new InvalidEmulation('Content-Type must be application/json')
  try {
    return await readBytes(request, MAX_BODY_BYTES)
  } catch (error) {
    throw error instanceof V2Refusal ? new HttpError(error.status, error.inner) : error
  }
}

/** The description of the API, its page, and whether it can answer. */
export function mountEmulationDocumentation(app: Express, services: ApiServices): () => object {
  const description = mountDocument(app, services, BASE, () => ({
    title: 'Shardwalk emulation API',
    description:
      'What a message would do, before it is sent; compatible with TON Center. The header ' +
      '`X-Actions-Version` selects the types of actions, as in API v3.',
    routes: ROUTES.map((route) => ({
      ...route,
      tag: 'emulation',
      query: z.object({}),
      reply: traceReplies(services.rules).EmulatedTrace,
      fails: FAILS,
    })),
  }))
  mountPath(app, `${BASE}/healthz`, (_request, response) => {
    const isReady = services.node() !== undefined
    const state = { ok: isReady, ...(!isReady && { reason: 'there are no lite servers' }) }
    sendJson(response, JSON.stringify(state), isReady ? 200 : 503)
  })
  return description
}
