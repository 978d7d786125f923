import { InvalidQuery } from '@shardwalk/api-schema'
import express, { type Request, type Response } from 'express'
import { sendJson } from './reply-writer.ts'
import type { Route } from './route.ts'

type PostRoute = Extract<Route, { kind: 'post' }>

const MAX_BYTES = '4mb'
const read = express.json({ limit: MAX_BYTES })

/** Answers from nothing but the body. */
export async function answerPosted(route: PostRoute, request: Request, response: Response): Promise<void> {
  await readJson(request, response)
  const body: unknown = request.body
  // Without a JSON content type nothing was read.
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new InvalidQuery('Unprocessable Entity')
  sendJson(response, await route.handle(body as Record<string, unknown>))
}

const readJson = (request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    read(request, response, (error?: unknown) => {
      if (error === undefined) resolve()
      else reject(isMalformed(error) ? new InvalidQuery(error.message) : error)
    })
  })

const isMalformed = (error: unknown): error is Error =>
  error instanceof Error && 'status' in error && error.status === 400
