import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { shown, V2Refusal } from '@shardwalk/api-schema'
import { nextTurn } from '@shardwalk/concurrency'
import { type JsonBody, readBody } from '@shardwalk/node-access/requests'
import type { Request } from 'express'
import { bodyPieces } from './body-pieces.ts'
import { takeBytes } from './bytes-in-flight.ts'

/** A larger one is put together, and handed to a thread, in a turn of its own. Bytes. */
const SMALL_BODY_BYTES = 65_536
/** Same limit as TON Center. */
const MAX_BODY_BYTES = 1_048_576

/**
 * The request's body as a JSON object, whatever its content type; numbers keep all digits. For bodies known
 * to be small; others are read by `readNodeBody`. Throws `V2Refusal`.
 */
export const readJsonBody = async (request: Request): Promise<JsonBody> =>
  readBody({ bytes: await readBytes(request) }).body

/**
 * The request's body, inflated. Throws `V2Refusal` beyond `maxBytes`, by default 1 MiB, and `HttpError` when
 * too many bytes are in flight.
 */
export async function readBytes(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Buffer> {
  const announced = announcedBytes(request, maxBytes)
  if (announced > maxBytes) throw tooLarge()
  const inflater = inflaterOf(request)
  await takeBytes(request.res!, inflater ? maxBytes : announced)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bodyPieces(request)) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  if (size > SMALL_BODY_BYTES) await nextTurn()
  const bytes = Buffer.concat(chunks)
  return inflater ? inflated(bytes, inflater, maxBytes) : bytes
}

/** API v3 of TON Center inflates bodies too. */
const INFLATERS = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }
type Inflater = (typeof INFLATERS)[keyof typeof INFLATERS]

/** Undefined if the body is not compressed. */
function inflaterOf({ headers }: Request): Inflater | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity') return undefined
  if (Object.hasOwn(INFLATERS, encoding)) return INFLATERS[encoding as keyof typeof INFLATERS]
  const accepted = Object.keys(INFLATERS).join(', ')
  throw new V2Refusal(`unknown Content-Encoding ${shown(encoding)}; accepted: ${accepted}`, 'plain')
}

async function inflated(bytes: Buffer, inflater: Inflater, maxBytes: number): Promise<Buffer> {
  try {
    return await inflater(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new V2Refusal('body is not compressed as its Content-Encoding says')
  }
}

/** A chunked body may have any length. */
const announcedBytes = ({ headers }: Request, maxBytes: number): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : maxBytes

const tooLarge = () => new V2Refusal('Payload Too Large', 'plain', 413)
