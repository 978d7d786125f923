import { createHash, timingSafeEqual } from 'node:crypto'
import { strictBase64, V2Refusal } from '@shardwalk/api-schema'
import { EmulationError } from '@shardwalk/emulation'
import { DecodeError } from '@shardwalk/model'
import type { Express, Request } from 'express'
import { HttpError } from '../http/errors.ts'
import { readBytes } from '../http/read-body.ts'
import { sendJson } from '../http/reply-writer.ts'
import type { ApiServices } from '../services.ts'

const PATH = '/api/pending/v1/message'
const MAX_BODY_BYTES = 128 * 1024

/**
 * Mounts the endpoint for messages that were sent elsewhere: `{"boc"}`, as ton-http-api-cpp sends them to the
 * URLs that it is given, which can have the secret in their query only.
 */
export function mountPush(app: Express, { pending }: ApiServices, secret: string | undefined): void {
  if (!pending || secret === undefined) return
  app
    .route(PATH)
    .post(async (request, response) => {
      response.locals['route'] = PATH
      if (!knowsSecret(request, secret)) throw new HttpError(401, 'the secret is missing or wrong')
      const boc = bocOf(await readBody(request))
      const { message, admission } = await pending.take(boc).catch((error: unknown) => {
        if (error instanceof DecodeError || error instanceof EmulationError)
          throw new HttpError(422, `wrong value for "boc": ${error.message}`)
        throw error
      })
      const { hash, hashNorm } = message
      const reply = {
        admission,
        message_hash: hash.toString('base64'),
        message_hash_norm: hashNorm.toString('base64'),
      }
      sendJson(response, JSON.stringify(reply), admission === 'full' ? 503 : 200)
    })
    .all((request) => {
      throw new HttpError(405, `method ${request.method} is not allowed here`, { Allow: 'POST, OPTIONS' })
    })
}

function knowsSecret(request: Request, secret: string): boolean {
  const given =
    /^Bearer (.+)$/.exec(request.get('Authorization') ?? '')?.[1] ??
    new URL(request.originalUrl, 'http://localhost').searchParams.get('secret') ??
    ''
  // Digests have one length, whatever is given.
  return timingSafeEqual(digest(given), digest(secret))
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

async function readBody(request: Request): Promise<Buffer> {
  try {
    return await readBytes(request, MAX_BODY_BYTES)
  } catch (error) {
    if (!(error instanceof V2Refusal)) throw error
    throw new HttpError(error.status, error.inner, { Connection: 'close' })
  }
}

function bocOf(bytes: Uint8Array): Buffer {
  let body: unknown
  try {
    body = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    throw new HttpError(422, 'the body is not JSON')
  }
  const given = (body as { readonly boc?: unknown } | null)?.boc
  const boc = typeof given === 'string' && given !== '' ? strictBase64(given) : undefined
  if (!boc) throw new HttpError(422, 'wrong value for "boc": a bag of cells in standard base64 is accepted')
  return boc
}
