import { parseQueryString, REQUEST_SETTINGS, readQuery, toJsonText, V2Refusal } from '@shardwalk/api-schema'
import { within } from '@shardwalk/node-access'
import type { Request, Response } from 'express'
import { clientName } from '../access/client-name.ts'
import { noServers, toV2Failure } from '../node/failures.ts'
import type { ApiServices } from '../services.ts'
import { callSignal } from './call-signal.ts'
import { HttpError } from './errors.ts'
import { nameIgnored, queryString } from './mount.ts'
import { readJsonBody } from './read-body.ts'
import { ReplySize } from './reply-size.ts'
import { sendJson } from './reply-writer.ts'
import type { Route } from './route.ts'

type NodeRoute = Extract<Route, { kind: 'node' }>

/** As long as TON Center lets a request take. */
const DEADLINE_MS = 10_000

/** Answers from lite servers. Failures have the texts of API v2 in the format of API v3. */
export async function answerFromNode(
  route: NodeRoute,
  request: Request,
  response: Response,
  services: ApiServices,
): Promise<void> {
  const query = route.body ? undefined : readNodeQuery(route, request, response, services)
  try {
    const node = services.node()
    if (!node) throw noServers()
    const input = query ?? (await readJsonBody(request))
    const scope = { signal: callSignal(response, DEADLINE_MS), client: clientName(request) }
    const text = toJsonText(await within(scope, () => route.handle(node, input as never)))
    new ReplySize(services.maxReplyBytes).expect(text.length, 'ask for less')
    sendJson(response, text)
  } catch (error) {
    if (error instanceof HttpError) throw error
    const { status, text, headers, isUnexpected } = toV2Failure(error, route.body ? 'post' : 'get')
    if (isUnexpected && !(error instanceof V2Refusal)) throw error
    throw new HttpError(status, text, headers)
  }
}

function readNodeQuery(
  { query, ignored: alsoIgnored = [] }: NodeRoute,
  request: Request,
  response: Response,
  { rules }: ApiServices,
): object {
  const { value, ignored } = readQuery(query, parseQueryString(queryString(request)), {
    unknown: rules.unknownParameter,
    alsoKnown: [...REQUEST_SETTINGS, ...alsoIgnored],
  })
  nameIgnored(response, ignored)
  return value
}
