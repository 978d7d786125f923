import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { FetchError } from './fetch-error.ts'

/** Reads and decompresses a response body. Throws at `limit` bytes, compressed or not, without reading on. */
export async function readBody(message: IncomingMessage, limit: number): Promise<Buffer> {
  const parts: Buffer[] = []
  try {
    if (Number(message.headers['content-length']) > limit) throw tooBig(limit)
    for await (const part of upTo(limit, unpacked(message, limit))) parts.push(part)
  } catch (error) {
    throw isPackingError(error)
      ? new FetchError('parse', 'the packed body is broken', { cause: error })
      : error
  } finally {
    message.destroy()
  }
  return Buffer.concat(parts)
}

async function* upTo(limit: number, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > limit) throw tooBig(limit)
    yield part
  }
}

const tooBig = (limit: number): FetchError => new FetchError('too_big', `more than ${limit} bytes`)

function unpacked(body: IncomingMessage, limit: number): AsyncIterable<Buffer> {
  const name = body.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return body
  const unpack = UNPACK[name]?.()
  if (!unpack) throw new FetchError('unsupported', 'the body is packed in an unknown way')
  // An endless compressed body may decompress to nothing, so its own length is limited too.
  pipeline(
    body,
    (packed: AsyncIterable<Buffer>) => upTo(limit, packed),
    unpack,
    () => {},
  )
  return unpack
}

const UNPACK: Readonly<Record<string, () => Readable & NodeJS.WritableStream>> = Object.assign(
  Object.create(null),
  {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  },
)

const isPackingError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING)/.test(String(error.code))
