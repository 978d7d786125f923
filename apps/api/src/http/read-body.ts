import { type ExactJson, parseExactJson, V2Refusal } from '@shardwalk/api-schema'
import type { Request } from 'express'

/** As much as TON Center takes. */
const MAX_BODY_BYTES = 1_048_576

export type JsonBody = { readonly [key: string]: ExactJson }

/**
 * The request's body as a JSON object, whatever its content type; numbers keep all digits. Throws
 * `V2Refusal`.
 */
export async function readJsonBody(request: Request): Promise<JsonBody> {
  const value = parse(await readText(request))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new V2Refusal('request must be an object')
  return value as JsonBody
}

function parse(text: string): ExactJson {
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new V2Refusal(`body is not JSON: ${error.message}`)
    throw error
  }
}

async function readText(request: Request): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  try {
    return UTF8.decode(Buffer.concat(chunks))
  } catch {
    throw new V2Refusal('body is not UTF-8')
  }
}

const tooLarge = () => new V2Refusal('Payload Too Large', 'plain', 413)

/** Refuses invalid UTF-8 instead of replacing characters. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })
