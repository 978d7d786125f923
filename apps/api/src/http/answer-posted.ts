import { InvalidQuery } from '@shardwalk/api-schema'
import { BODY_TYPES } from '@shardwalk/node-access/requests'
import express, { type Request, type Response } from 'express'
import type { ApiServices } from '../services.ts'
import { restBetweenPieces } from './body-pieces.ts'
import { takeBytes } from './bytes-in-flight.ts'
import { multipartAsJson } from './read-multipart.ts'
import { sendJson } from './reply-writer.ts'
import type { PostedBody, Route } from './route.ts'
import { ownerOf, workOf } from './work-of.ts'

type PostRoute = Extract<Route, { kind: 'post' }>

const MAX_BYTES = 4 * 1_048_576
const MULTIPART = 'multipart/form-data'
const TYPES = [...Object.keys(BODY_TYPES), MULTIPART]
const read = express.raw({ limit: MAX_BYTES, type: TYPES })

/** Answers from the body alone. */
export async function answerPosted(
  route: PostRoute,
  request: Request,
  response: Response,
  services: ApiServices,
): Promise<void> {
  await takeBytes(response, Number(request.headers['content-length'] ?? MAX_BYTES))
  await readBytes(request, response)
  const bytes: unknown = request.body
  const type = request.is(TYPES)
  // With other content types the body was not read.
  if (!(bytes instanceof Uint8Array) || !type) throw new InvalidQuery('Unprocessable Entity')
  const body = await asText(bytes, type, request)
  const work = workOf(services.work, ownerOf(request, response, services))
  sendJson(response, await route.handle(body, work))
}

/** A body without its multipart boundaries. */
async function asText(bytes: Uint8Array, type: string, { headers }: Request): Promise<PostedBody> {
  if (type !== MULTIPART) return { bytes, type: BODY_TYPES[type as keyof typeof BODY_TYPES] }
  return { bytes: await multipartAsJson(bytes, headers['content-type'] ?? ''), type: 'json' }
}

const TEXT_TYPES = TYPES.filter((type) => type !== 'application/json')
const BRACE = 0x7b

/**
 * A body that is a form or XML; undefined if it is to be read as JSON, as are those of other types. Clients
 * post JSON as a form too, because `curl -d` says so. Throws `InvalidQuery`.
 */
export async function readTextBody(bytes: Uint8Array, request: Request): Promise<PostedBody | undefined> {
  const type = request.is(TEXT_TYPES)
  if (!type || bytes.find((byte) => byte > 0x20) === BRACE) return undefined
  return asText(bytes, type, request)
}

const readBytes = (request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    restBetweenPieces(request)
    read(request, response, (error?: unknown) => {
      if (error === undefined) resolve()
      else reject(isMalformed(error) ? new InvalidQuery(error.message) : error)
    })
  })

const isMalformed = (error: unknown): error is Error =>
  error instanceof Error && 'status' in error && error.status === 400
