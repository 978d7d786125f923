import {
  type ExactJson,
  parseQueryString,
  readV2Body,
  readV2Query,
  shown,
  V2_METHODS,
  type V2Form,
  type V2Method,
  type V2MethodName,
  V2Refusal,
  v2MethodName,
} from '@shardwalk/api-schema'
import { type NodeAccess, within } from '@shardwalk/node-access'
import {
  type JsonBody,
  readNodeBody,
  stackFormOf,
  type Work,
  type WorkOwner,
} from '@shardwalk/node-access/requests'
import { wholeReply } from '@shardwalk/replies'
import type { Express, Request, Response } from 'express'
import { chargeMore } from '../access/charges.ts'
import { methodCost } from '../access/cost.ts'
import { isAbandoned } from '../http/errors.ts'
import { readBytes } from '../http/read-body.ts'
import { sendJson } from '../http/reply-writer.ts'
import { ownerOf, scopeOf, workOf } from '../http/work-of.ts'
import { failure, noServers, toV2Failure } from '../node/failures.ts'
import type { ApiServices } from '../services.ts'
import { type Echo, type Effort, failureText, rpcEcho, successText } from './envelope.ts'
import { V2_HANDLERS } from './handlers.ts'
import { resultText } from './result-text.ts'

const BASE = '/api/v2'
const MAX_URL = 8192
/** Methods that do not need a lite server. */
const PURE: ReadonlySet<V2MethodName> = new Set([
  'detectAddress',
  'detectHash',
  'packAddress',
  'unpackAddress',
])

/** A parsed request. */
interface Call {
  readonly name: V2MethodName
  readonly values: object
}

/** What is known about a request before it is completely parsed, for the reply if parsing fails. */
interface Attempt extends Effort {
  readonly servers: Set<number>
  readonly form: V2Form
  echo: Echo
  owner?: WorkOwner
  /** A method was called: failures from then on are its own. */
  isCalled?: boolean
}

/** Mounts API v2. While there are no lite servers, only methods that do not need them are answered. */
export function mountV2(app: Express, services: ApiServices): void {
  app.use(BASE, async (request: Request, response: Response) => {
    const segment = request.path.replace(/^\/(?:([^/]+)\/?)?$/, '$1')
    const form = request.method === 'POST' ? 'post' : 'get'
    const attempt: Attempt = { startedAt: performance.now(), servers: new Set(), form, echo: {} }
    response.locals['route'] =
      `${BASE}/${segment === 'jsonRPC' ? segment : (v2MethodName(segment) ?? 'unknown')}`
    try {
      const call = await understand({ request, response, services }, segment, attempt)
      attempt.isCalled = true
      response.locals['route'] = `${BASE}/${call.name}`
      const owner = attempt.owner ?? ownerOf(request, response, services)
      const scope = { ...scopeOf(owner), onServer: (server: number) => attempt.servers.add(server) }
      const size = wholeReply(services.maxReplyBytes)
      const result = await within(scope, async () => resultText(await perform(call, services, owner), size))
      sendJson(response, successText(result, attempt.echo, attempt))
    } catch (error) {
      refuse(error, attempt, { request, response, services })
    }
  })
}

/** Documentation and probe, mounted earlier: only other methods arrive here. */
const PAGES = /^(index\.html|openapi\.json|healthcheck|)$/

async function understand(exchange: Exchange, segment: string, attempt: Attempt): Promise<Call> {
  const { request } = exchange
  const { method: verb } = request
  if (request.originalUrl.length > MAX_URL) throw failure(414, 'URI Too Long')
  if (segment === 'jsonRPC') {
    if (verb !== 'POST') throw failure(405, `method ${shown(verb)} is not supported`)
    const call = understandRpc(await readPosted(exchange, attempt), attempt)
    await chargeMore(request, methodCost(call.name) - 1)
    return call
  }
  const name = v2MethodName(segment)
  if (!name) throw PAGES.test(segment) ? failure(405, 'Method Not Allowed') : failure(404, 'Not Found')
  const { postOnly } = V2_METHODS[name] as V2Method
  if (verb !== 'POST' && (postOnly || (verb !== 'GET' && verb !== 'HEAD')))
    throw failure(405, 'Method Not Allowed')
  await chargeMore(request, methodCost(name) - 1)
  return verb === 'POST'
    ? understandBody(name, await readPosted(exchange, attempt, name), attempt)
    : understandQuery(name, request, attempt)
}

async function readPosted(
  { request, response, services }: Exchange,
  attempt: Attempt,
  name?: V2MethodName,
): Promise<JsonBody> {
  const bytes = await readBytes(request)
  // The client may send its body slowly; the time limit starts when it is complete.
  const owner = ownerOf(request, response, services)
  attempt.owner = owner
  const work = workOf(services.work, owner)
  return within(scopeOf(owner), () => readNodeBody({ bytes, form: stackFormOf(name) }, work))
}

function understandQuery(name: V2MethodName, request: Request, attempt: Attempt): Call {
  const at = request.originalUrl.indexOf('?')
  const given = parseQueryString(at < 0 ? '' : request.originalUrl.slice(at + 1))
  attempt.echo = { ...attempt.echo, extra: given.get('@extra')?.[0] }
  const method: V2Method = V2_METHODS[name]
  return checked(name, readV2Query(method.parameters, given))
}

function understandBody(name: V2MethodName, body: JsonBody, attempt: Attempt): Call {
  const extra = body['@extra']
  if (extra !== undefined && extra !== null && typeof extra !== 'string')
    throw new V2Refusal("Error at path '@extra': a string is expected")
  attempt.echo = { ...attempt.echo, extra: extra ?? attempt.echo.extra }
  const method: V2Method = V2_METHODS[name]
  if (name === 'getConfigParam' && body['config_id'] != null && body['param'] != null)
    throw new V2Refusal('only one of config_id or param should be specified', 'validate')
  return checked(name, readV2Body(method.parameters, body))
}

function checked(name: V2MethodName, values: object): Call {
  const problem = (V2_METHODS[name] as V2Method).check?.(values as never, new Set())
  if (problem !== undefined) throw new V2Refusal(problem, 'validate')
  return { name, values }
}

/** JSON-RPC 2.0 with named parameters only; the version is not checked. */
function understandRpc(body: JsonBody, attempt: Attempt): Call {
  const { method, params } = body
  attempt.echo = rpcEcho(body)
  if (typeof method !== 'string' || method === '')
    throw new V2Refusal("Error at path 'method': a name is expected")
  const name = v2MethodName(method)
  if (!name) throw failure(404, `Unknown method: ${shown(method)}`)
  return understandBody(name, paramsOf(params), attempt)
}

/** Anything but an object counts as an empty object; a non-empty array is rejected. */
function paramsOf(params: ExactJson | undefined): JsonBody {
  if (Array.isArray(params) && params.length > 0) throw new V2Refusal('params must contain an object')
  return typeof params === 'object' && params !== null && !Array.isArray(params) ? (params as JsonBody) : {}
}

async function perform({ name, values }: Call, services: ApiServices, owner: WorkOwner): Promise<unknown> {
  const node = services.node()
  if (!node && !PURE.has(name)) throw noServers()
  const handle = V2_HANDLERS[name] as (node: NodeAccess, values: object, work: Work) => unknown
  return handle(node as NodeAccess, values, workOf(services.work, owner))
}

interface Exchange {
  readonly request: Request
  readonly response: Response
  readonly services: ApiServices
}

/** Refusals of requests that name no method, or are not read. */
const ROUTING: ReadonlySet<number> = new Set([404, 405, 413, 414])

function refuse(error: unknown, attempt: Attempt, { request, response, services }: Exchange): void {
  const { status, text, headers, isUnexpected } = toV2Failure(error, attempt.form)
  const { method, path } = request
  if (isAbandoned(request, response)) services.log.debug('request abandoned', { method, path, error })
  else if (isUnexpected) services.log.error('request failed', { method, path, status, error })
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
  const isRouting = !attempt.isCalled && ROUTING.has(status)
  // The rest of an oversized body is not read, so the connection cannot be reused.
  if (status === 413) response.setHeader('Connection', 'close')
  sendJson(response, failureText(status, text, attempt.echo, isRouting ? undefined : attempt), status)
}
