import { InvalidQuery } from '@shardwalk/api-schema'
import express, { type Request, type Response } from 'express'
import type { ApiServices } from '../services.ts'
import { holdBytes } from './bytes-in-flight.ts'
import { sendJson } from './reply-writer.ts'
import type { Route } from './route.ts'
import { ownerOf, workOf } from './work-of.ts'

type PostRoute = Extract<Route, { kind: 'post' }>

const MAX_BYTES = 4 * 1_048_576
const read = express.raw({ limit: MAX_BYTES, type: 'application/json' })

/** Answers from the body alone. */
export async function answerPosted(
  route: PostRoute,
  request: Request,
  response: Response,
  services: ApiServices,
): Promise<void> {
  holdBytes(response, Number(request.headers['content-length'] ?? MAX_BYTES))
  await readBytes(request, response)
  const body: unknown = request.body
  // Without a JSON content type the body was not read.
  if (!(body instanceof Uint8Array)) throw new InvalidQuery('Unprocessable Entity')
  sendJson(response, await route.handle(body, workOf(services.work, ownerOf(request, response))))
}

const readBytes = (request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    read(request, response, (error?: unknown) => {
      if (error === undefined) resolve()
      else reject(isMalformed(error) ? new InvalidQuery(error.message) : error)
    })
  })

const isMalformed = (error: unknown): error is Error =>
  error instanceof Error && 'status' in error && error.status === 400
