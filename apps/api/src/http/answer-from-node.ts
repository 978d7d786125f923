import { parseQueryString, REQUEST_SETTINGS, readQuery, toJsonText, V2Refusal } from '@shardwalk/api-schema'
import { within } from '@shardwalk/node-access'
import { type JsonBody, readNodeBody, type Work } from '@shardwalk/node-access/requests'
import { wholeReply } from '@shardwalk/replies'
import type { Request, Response } from 'express'
import { noServers, toV2Failure } from '../node/failures.ts'
import { sourceOf } from '../replicas/chosen-replica.ts'
import type { ApiServices } from '../services.ts'
import { nameIgnored } from './answer-from-index.ts'
import { readTextBody } from './answer-posted.ts'
import { HttpError, httpErrorOf } from './errors.ts'
import { queryString } from './query-string.ts'
import { readBytes } from './read-body.ts'
import { sendJson } from './reply-writer.ts'
import type { Route } from './route.ts'
import { ownerOf, scopeOf, workOf } from './work-of.ts'

type NodeRoute = Extract<Route, { kind: 'node' }>

/**
 * Answers from lite servers, or from the index where that suffices. Errors have the texts of API v2 in the
 * format of API v3.
 */
export async function answerFromNode(
  route: NodeRoute,
  request: Request,
  response: Response,
  services: ApiServices,
): Promise<void> {
  const query = route.body ? undefined : readNodeQuery(route, request, response, services)
  const indexed = query && (await readIndexed(route, query, response, services))
  if (indexed !== undefined) return sendJson(response, toJsonText(indexed))
  try {
    const node = services.node()
    if (!node) throw noServers()
    const bytes = query ? undefined : await readBytes(request)
    const owner = ownerOf(request, response, services)
    const work = workOf(services.work, owner)
    const reply = await within(scopeOf(owner), async () => {
      const input = bytes ? await readPosted(route, bytes, { request, work }) : query
      return route.handle(node, input as never, work)
    })
    const text = toJsonText(reply)
    wholeReply(services.maxReplyBytes).expect(text.length, 'ask for less')
    sendJson(response, text)
  } catch (error) {
    const own = httpErrorOf(error)
    if (own) throw own
    const { status, text, headers, isUnexpected } = toV2Failure(error, route.body ? 'post' : 'get')
    if (isUnexpected && !(error instanceof V2Refusal)) throw error
    throw new HttpError(status, text, headers)
  }
}

/** Throws `V2Refusal`, `InvalidQuery`. */
async function readPosted(
  { body, stackForm: form }: NodeRoute,
  bytes: Uint8Array,
  { request, work }: { readonly request: Request; readonly work: Work },
): Promise<JsonBody> {
  const posted = await readTextBody(bytes, request)
  const names = Object.keys(body?.shape ?? {})
  if (!posted) return readNodeBody({ bytes, form, names }, work)
  const texts = { type: posted.type, names, lists: form ? ['stack'] : [] }
  return readNodeBody({ bytes: posted.bytes, form, texts }, work)
}

/** Without a database, lite servers still answer. */
async function readIndexed(
  { indexed }: NodeRoute,
  query: object,
  response: Response,
  services: ApiServices,
): Promise<unknown> {
  try {
    return await indexed?.({ ...services, ...sourceOf(response, services) }, query as never)
  } catch (error) {
    if (httpErrorOf(error)) throw error
    services.log.debug('index not read', { error })
    return undefined
  }
}

function readNodeQuery(
  { query, ignored: alsoIgnored = [] }: NodeRoute,
  request: Request,
  response: Response,
  { rules }: ApiServices,
): object {
  const { value, ignored } = readQuery(query, parseQueryString(queryString(request)), {
    rules,
    alsoKnown: [...REQUEST_SETTINGS, ...alsoIgnored],
  })
  nameIgnored(response, ignored)
  return value
}
