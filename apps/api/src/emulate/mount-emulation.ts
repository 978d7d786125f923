import {
  EmulateTonConnectBody,
  EmulateTraceBody,
  InvalidEmulation,
  traceReplies,
  V2Refusal,
} from '@shardwalk/api-schema'
import type { Express, Request, Response } from 'express'
import { z } from 'zod'
import { chargeMore } from '../access/charges.ts'
import { EMULATION_COST } from '../access/cost.ts'
import { mountDocument } from '../documentation.ts'
import { errorBody, HttpError, isAbandoned } from '../http/errors.ts'
import { mountPath } from '../http/mount.ts'
import { readBytes } from '../http/read-body.ts'
import { sendJson } from '../http/reply-writer.ts'
import type { ApiServices } from '../services.ts'
import { type EmulationOptions, type EmulationQuery, Emulator } from './emulator.ts'
import { emulationFailure } from './failures.ts'
import { readTonConnectRequest, readTraceRequest } from './read-requests.ts'

const BASE = '/api/emulate'
const MAX_BODY_BYTES = 256 * 1024

interface EmulateRoute {
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly body: z.ZodObject
  readonly read: (bytes: Uint8Array) => EmulationQuery
}

const ROUTES: readonly EmulateRoute[] = [
  {
    path: `${BASE}/v1/emulateTrace`,
    summary: 'What a message would do',
    description:
      'Runs a message, and everything that it causes, on the state after a masterchain block; writes and ' +
      'sends nothing. At most 256 transactions, 32 deep: `is_incomplete` tells when something is missing.',
    body: EmulateTraceBody,
    read: readTraceRequest,
  },
  {
    path: `${BASE}/v1/emulateTonConnect`,
    summary: 'What a request to a wallet would do',
    description:
      'As emulateTrace, with the message that a wallet (v3, v4 or v5) would send for a TON Connect request.',
    body: EmulateTonConnectBody,
    read: readTonConnectRequest,
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

/** Mounts the emulation API. It runs on the threads for what strangers bring along. */
export function mountEmulation(
  app: Express,
  services: ApiServices,
  options: Partial<EmulationOptions> = {},
): void {
  const emulator = new Emulator(services, options)
  services.metrics.gauge('emulations_in_progress', 'Emulations in progress.', [], (gauge) =>
    gauge.set({}, emulator.places.count),
  )
  for (const route of ROUTES)
    app
      .route(route.path)
      .post(async (request, response) => {
        response.locals['route'] = route.path
        await chargeMore(request, EMULATION_COST - 1)
        await answer({ route, emulator, services }, request, response)
      })
      .all((request) => {
        throw new HttpError(405, `method ${request.method} is not allowed here`, { Allow: 'POST, OPTIONS' })
      })
}

interface Answering {
  readonly route: EmulateRoute
  readonly emulator: Emulator
  readonly services: ApiServices
}

async function answer(
  { route, emulator, services }: Answering,
  request: Request,
  response: Response,
): Promise<void> {
  try {
    const bytes = await readBody(request)
    sendJson(response, await emulator.answer(request, response, route.read(bytes)))
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

async function readBody(request: Request): Promise<Buffer> {
  if (!request.is('application/json')) throw new InvalidEmulation('Content-Type must be application/json')
  try {
    return await readBytes(request, MAX_BODY_BYTES)
  } catch (error) {
    throw error instanceof V2Refusal ? new HttpError(error.status, error.inner) : error
  }
}

/** The description of the API, its page, and whether it can answer. */
export function mountEmulationDocumentation(app: Express, services: ApiServices): object {
  const reply = traceReplies(services.rules).EmulatedTrace
  const description = mountDocument(app, services, {
    base: BASE,
    title: 'Shardwalk emulation API',
    description:
      'What a message would do, before it is sent; compatible with TON Center. The header ' +
      '`X-Actions-Version` selects the types of actions, as in API v3.',
    routes: ROUTES.map((route) => ({
      ...route,
      tag: 'emulation',
      query: z.object({}),
      reply,
      fails: FAILS,
    })),
  })
  mountPath(app, `${BASE}/healthz`, (_request, response) => {
    const isReady = services.node() !== undefined
    const state = { ok: isReady, ...(!isReady && { reason: 'there are no lite servers' }) }
    sendJson(response, JSON.stringify(state), isReady ? 200 : 503)
  })
  return description
}
