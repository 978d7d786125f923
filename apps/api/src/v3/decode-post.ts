import { InvalidQuery, toDecodeReply } from '@shardwalk/api-schema'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { HttpError } from '../http/errors.ts'
import { sendJson } from '../http/mount.ts'

const MAX_DECODED = 1000
const MAX_BYTES = '4mb'

/** POST /decode: the same as GET, for lists that no address line holds. */
export function mountDecodePost(app: Express): void {
  const read = express.json({ limit: MAX_BYTES })
  const readJson = (request: Request, response: Response, next: NextFunction): void =>
    read(request, response, (error?: unknown) =>
      next(isMalformed(error) ? new InvalidQuery(error.message) : error),
    )
  const decode = app.route('/api/v3/decode')
  decode.post(readJson, async (request: Request, response: Response, _next: NextFunction) => {
    // Without a JSON content type nothing was read.
    if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body))
      throw new InvalidQuery('Unprocessable Entity')
    const { opcodes, bodies } = request.body as Record<string, unknown>
    sendJson(
      response,
      toDecodeReply({ opcodes: textList('opcodes', opcodes), bodies: textList('bodies', bodies) }),
    )
  })
  decode.all((request: Request, _response: Response, next: NextFunction) => {
    if (['GET', 'HEAD'].includes(request.method)) return next()
    throw new HttpError(405, `method ${request.method} is not allowed here`, {
      Allow: 'GET, HEAD, POST, OPTIONS',
    })
  })
}

const isMalformed = (error: unknown): error is Error =>
  error instanceof Error && 'status' in error && error.status === 400

function textList(name: string, value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new InvalidQuery(`wrong value for "${name}": it is not a list of texts`)
  if (value.length > MAX_DECODED)
    throw new InvalidQuery(`${name} list exceeds maximum length of ${MAX_DECODED}`)
  return value
}
