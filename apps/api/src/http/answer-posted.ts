import { InvalidQuery, parseQueryString } from '@shardwalk/api-schema'
import express, { type Request, type Response } from 'express'
import type { ApiServices } from '../services.ts'
import { holdBytes } from './bytes-in-flight.ts'
import { sendJson } from './reply-writer.ts'
import type { Route } from './route.ts'
import { ownerOf, workOf } from './work-of.ts'

type PostRoute = Extract<Route, { kind: 'post' }>

const MAX_BYTES = 4 * 1_048_576
/** Forms are parsed by the thread that answers requests. */
const MAX_FORM_BYTES = 256 * 1024
const FORM = 'application/x-www-form-urlencoded'
const read = express.raw({ limit: MAX_BYTES, type: ['application/json', FORM] })

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
  // With other content types the body was not read.
  if (!(body instanceof Uint8Array)) throw new InvalidQuery('Unprocessable Entity')
  const bytes = request.is(FORM) ? formAsJson(body) : body
  sendJson(response, await route.handle(bytes, workOf(services.work, ownerOf(request, response))))
}

/** A form as the JSON object that says the same: each name with the list of its values. */
function formAsJson(body: Uint8Array): Uint8Array {
  if (body.length > MAX_FORM_BYTES)
    throw new InvalidQuery(`a form has at most ${MAX_FORM_BYTES} bytes, JSON has ${MAX_BYTES}`)
  const values = parseQueryString(Buffer.from(body).toString('utf8'))
  return Buffer.from(JSON.stringify(Object.fromEntries(values)))
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
