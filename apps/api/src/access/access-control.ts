import type { ApiKey } from '@shardwalk/db'
import type { Metrics } from '@shardwalk/observability'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { TOO_MANY_RESULT } from '../http/errors.ts'
import { readJsonBody } from '../http/read-body.ts'
import { refuseWithPage } from '../http/wants-page.ts'
import { rpcEcho } from '../v2/envelope.ts'
import { allowCharges, secondsLeft, TOO_MANY_TEXT } from './charges.ts'
import { clientAddress, isLoopback } from './client-address.ts'
import { nameClient, noteMissingKey } from './client-name.ts'
import { credentialOf } from './credentials.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import type { KeyLookup } from './key-lookup.ts'
import { type Allowance, type RateLimits, windowOf } from './rate-limits.ts'

export interface AccessControlOptions {
  readonly keys: Pick<KeyLookup, 'find' | 'isKnown' | 'isConfigured'>
  readonly limits: Pick<RateLimits, 'take'>
  readonly failures: Pick<FailedAttempts, 'begin' | 'succeed'>
  /** Requests per second and client address without a key; 0 rejects them. */
  readonly anonymousRps: number
  /** Requests per second and client address while there are no keys; 0: unlimited. */
  readonly openRps: number
  /** `global_id` of the indexed network; undefined until the first block is indexed. */
  readonly globalId: () => Promise<number | undefined>
  readonly metrics: Metrics
}

/** The client of a request and its rate. */
interface Client {
  readonly name: string
  readonly requestsPerSecond: number
}

interface Refusal {
  readonly code: number
  readonly error: string
  readonly retryAfter?: number
}

/** Texts that clients of TON Center match on. */
const UNKNOWN_KEY: Refusal = { code: 401, error: 'API key does not exist' }
const NO_KEY: Refusal = { code: 401, error: 'API key is required' }
const OTHER_NETWORK: Refusal = { code: 403, error: 'Network not allowed' }
const tooMany = (retryAfter: number): Refusal => ({ code: 429, error: TOO_MANY_TEXT, retryAfter })
const REASONS: Readonly<Record<number, string>> = { 401: 'key', 403: 'network', 429: 'rate' }

/**
 * Middleware that identifies the client, counts its requests and rejects those beyond its limit. Every
 * request counts as one; what the matched route costs beyond that is charged by the route (`chargeMore`).
 * Refused requests are answered before their bodies are read.
 */
export function accessControl(options: AccessControlOptions): RequestHandler {
  const { limits, metrics } = options
  const refused = metrics.counter('requests_refused_total', 'Requests refused before they were read.', [
    'reason',
  ])
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const client = await identify(request, options)
    if (client === 'unlimited') return next()
    if ('code' in client) {
      refused.inc({ reason: REASONS[client.code]! })
      return refuse(request, response, next, client)
    }
    nameClient(request, client.name)
    const take = async (count: number): Promise<Allowance> => {
      const allowance = await limits.take(client.name, client.requestsPerSecond, count)
      setRateHeaders(response, allowance)
      if (!allowance.allowed) refused.inc({ reason: 'rate' })
      return allowance
    }
    const allowance = await take(1)
    // Capped, so that expensive requests are possible at low rates: an otherwise unused window always
    // suffices for one.
    const most = windowOf(client.requestsPerSecond).limit - 1
    allowCharges(response, (count) => take(Math.min(count, most)))
    if (allowance.allowed) return next()
    return refuse(request, response, next, tooMany(secondsLeft(allowance)))
  }
}

async function identify(
  request: Request,
  options: AccessControlOptions,
): Promise<Client | Refusal | 'unlimited'> {
  const { keys, failures, anonymousRps, openRps } = options
  const address = clientAddress(request.ip)
  if (!(await keys.isConfigured())) {
    if (openRps <= 0 || isLoopback(request.ip)) return 'unlimited'
    return { name: `ip:${address}`, requestsPerSecond: openRps }
  }
  const credential = credentialOf(request)
  if (credential === undefined && anonymousRps > 0) {
    noteMissingKey(request)
    return { name: `ip:${address}`, requestsPerSecond: anonymousRps }
  }
  // A key that was valid before is looked up regardless of failed attempts from its address.
  const isKnown = credential !== undefined && keys.isKnown(credential)
  const blocked = isKnown ? 0 : await failures.begin(address)
  if (blocked > 0) return tooMany(blocked)
  if (credential === undefined) return NO_KEY
  const key = await keys.find(credential)
  if (!key) return UNKNOWN_KEY
  if (!isKnown) await failures.succeed(address)
  return (await isOfOtherNetwork(key, options)) ? OTHER_NETWORK : clientOf(key)
}

/** All keys of an account share one limit. */
const clientOf = ({ account, requestsPerSecond }: ApiKey): Client => ({
  name: `account:${account}`,
  requestsPerSecond,
})

async function isOfOtherNetwork(key: ApiKey, { globalId }: AccessControlOptions): Promise<boolean> {
  if (key.globalId === undefined) return false
  const served = await globalId()
  return served !== undefined && served !== key.globalId
}

function setRateHeaders(response: Response, allowance: Allowance): void {
  response.setHeader('RateLimit-Limit', allowance.limit)
  response.setHeader('RateLimit-Remaining', allowance.remaining)
  response.setHeader('RateLimit-Reset', secondsLeft(allowance))
}

async function refuse(
  request: Request,
  response: Response,
  next: NextFunction,
  refusal: Refusal,
): Promise<void> {
  const path = request.baseUrl + request.path
  response.locals['route'] = 'refused'
  const { code, error, retryAfter } = refusal
  if (refuseWithPage(request, next, { status: code, message: error, retryAfter })) return
  const isV2 = /^\/api\/v2\//i.test(path)
  const echo = isV2 && RPC_PATH.test(path) ? await readEcho(request) : {}
  response.setHeader('Cache-Control', 'no-store')
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter)
  const extra = code === 429 && !isV2 ? TOO_MANY_RESULT : {}
  response.status(code).json({ ok: false, code, error, ...extra, ...echo })
}

const RPC_PATH = /\/jsonRPC\/?$/
/** Longer bodies of rejected requests are not read. */
const MAX_ECHO_BYTES = 16_384

/**
 * Fields that a JSON-RPC client uses to match reply and request; empty if the body is too long or cannot be
 * parsed.
 */
async function readEcho(request: Request): Promise<object> {
  if (!(Number(request.headers['content-length']) <= MAX_ECHO_BYTES)) return {}
  const body = await readJsonBody(request).catch(() => undefined)
  if (!body) return {}
  const { extra, ...echo } = rpcEcho(body)
  return { ...echo, ...(extra !== undefined && { '@extra': extra }) }
}
