import type { ApiKey } from '@shardwalk/db'
import type { Metrics } from '@shardwalk/observability'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { readJsonBody } from '../http/read-body.ts'
import { rpcEcho } from '../v2/envelope.ts'
import { allowCharges, secondsLeft, TOO_MANY_TEXT } from './charges.ts'
import { clientAddress } from './client-address.ts'
import { costOf } from './cost.ts'
import { credentialOf } from './credentials.ts'
import type { KeyLookup } from './key-lookup.ts'
import type { Allowance, RateLimits } from './rate-limits.ts'

export interface AccessControlOptions {
  readonly keys: Pick<KeyLookup, 'find' | 'isConfigured'>
  readonly limits: Pick<RateLimits, 'take'>
  /** Requests per second and client address without a key; 0 refuses them. */
  readonly anonymousRps: number
  /** `global_id` of the indexed network; undefined until the first block is indexed. */
  readonly globalId: () => Promise<number | undefined>
  readonly metrics: Metrics
}

/** Who sent a request, and the rate it is limited to. */
interface Client {
  readonly name: string
  readonly requestsPerSecond: number
}

/** Texts that clients of TON Center match. */
const UNKNOWN_KEY = { code: 401, error: 'API key does not exist' }
const NO_KEY = { code: 401, error: 'API key is required' }
const OTHER_NETWORK = { code: 403, error: 'Network not allowed' }
const TOO_MANY = { code: 429, error: TOO_MANY_TEXT }
/** Some clients of API v3 read `result`; clients of API v2 would take it for success. */
const V3_TOO_MANY = { result: 'Ratelimit exceed' }

type Refusal = typeof UNKNOWN_KEY

/**
 * Middleware that identifies the client, counts its requests and refuses them. While no key is configured
 * every request passes. Refused requests are answered before their bodies are read.
 */
export function accessControl(options: AccessControlOptions): RequestHandler {
  const { limits, metrics } = options
  const refused = metrics.counter('requests_refused_total', 'Requests refused before they were read.', [
    'reason',
  ])
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const cost = request.method === 'OPTIONS' ? 0 : costOf(request.baseUrl + request.path)
    const client = cost === 0 ? 'free' : await identify(request, options)
    if (typeof client === 'string') return next()
    if ('code' in client) {
      refused.inc({ reason: client === OTHER_NETWORK ? 'network' : 'key' })
      return refuse(request, response, client)
    }
    const take = async (count: number): Promise<Allowance> => {
      const allowance = await limits.take(client.name, client.requestsPerSecond, count)
      setRateHeaders(response, allowance)
      if (!allowance.allowed) refused.inc({ reason: 'rate' })
      return allowance
    }
    const allowance = await take(cost)
    allowCharges(request, take)
    if (allowance.allowed) return next()
    response.setHeader('Retry-After', secondsLeft(allowance))
    return refuse(request, response, TOO_MANY)
  }
}

async function identify(request: Request, options: AccessControlOptions): Promise<Client | Refusal | 'open'> {
  const { keys, anonymousRps } = options
  if (!(await keys.isConfigured())) return 'open'
  const credential = credentialOf(request)
  if (credential !== undefined) {
    const key = await keys.find(credential)
    if (!key) return UNKNOWN_KEY
    return (await isOfOtherNetwork(key, options)) ? OTHER_NETWORK : clientOf(key)
  }
  if (anonymousRps <= 0) return NO_KEY
  return { name: `ip:${clientAddress(request.ip)}`, requestsPerSecond: anonymousRps }
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

async function refuse(request: Request, response: Response, refusal: Refusal): Promise<void> {
  const path = request.baseUrl + request.path
  const isV2 = path.startsWith('/api/v2/')
  const echo = isV2 && RPC_PATH.test(path) ? await readEcho(request) : {}
  response.locals['route'] = 'refused'
  response.setHeader('Cache-Control', 'no-store')
  const extra = refusal === TOO_MANY && !isV2 ? V3_TOO_MANY : {}
  response.status(refusal.code).json({ ok: false, ...refusal, ...extra, ...echo })
}

const RPC_PATH = /\/jsonRPC\/?$/
/** Longer bodies of refused requests are not read. */
const MAX_ECHO_BYTES = 16_384

/**
 * Fields by which a JSON-RPC client matches reply and request; empty if the body is long or cannot be read.
 */
async function readEcho(request: Request): Promise<object> {
  if (!(Number(request.headers['content-length']) <= MAX_ECHO_BYTES)) return {}
  const body = await readJsonBody(request).catch(() => undefined)
  if (!body) return {}
  const { extra, ...echo } = rpcEcho(body)
  return { ...echo, ...(extra !== undefined && { '@extra': extra }) }
}
