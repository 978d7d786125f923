import { V2Refusal } from '@shardwalk/api-schema'
import { nextTurn } from '@shardwalk/concurrency'
import type { Request } from 'express'
import { type JsonBody, readBody } from '../work/tasks.ts'
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
 * The request's body. Throws `V2Refusal` beyond `maxBytes`, by default 1 MiB, and `HttpError` when too many
 * bytes are in flight.
 */
export async function readBytes(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Buffer> {
  const announced = announcedBytes(request, maxBytes)
  if (announced > maxBytes) throw tooLarge()
  await takeBytes(request.res!, announced)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bodyPieces(request)) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  if (size > SMALL_BODY_BYTES) await nextTurn()
  return Buffer.concat(chunks)
}

/** A chunked body may have any length. */
const announcedBytes = ({ headers }: Request, maxBytes: number): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : maxBytes

const tooLarge = () => new V2Refusal('Payload Too Large', 'plain', 413)
