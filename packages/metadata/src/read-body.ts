import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { FetchError } from './fetch-error.ts'

/** Reads and decompresses a response body. Throws at `limit` bytes, compressed or not, without reading on. */
export async function readBody(message: IncomingMessage, limit: number): Promise<Buffer> {
  const parts: Buffer[] = []
  try {
    if (Number(message.headers['content-length']) > limit) throw tooBig(limit)
    for await (const part of upTo(limit, await unpacked(message, limit))) parts.push(part)
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

async function unpacked(body: IncomingMessage, limit: number): Promise<AsyncIterable<Buffer>> {
  const name = body.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return body
  const unpack = await UNPACK[name]?.(body)
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

type Unpack = Readable & NodeJS.WritableStream

const UNPACK: Readonly<Record<string, (body: Readable) => Unpack | Promise<Unpack>>> = Object.assign(
  Object.create(null),
  {
    gzip: () => createGunzip(),
    'x-gzip': () => createGunzip(),
    deflate: inflate,
    br: () => createBrotliDecompress(),
  },
)

/**
 * Some servers omit the zlib header, whose first byte ends with the method, 8. Source: RFC 1950, 2.2; RFC
 * 9110, 8.4.1.2.
 */
async function inflate(body: Readable): Promise<Unpack> {
  let first: Buffer | null = body.read(1)
  if (first === null && !body.readableEnded) {
    await Promise.race([once(body, 'readable'), once(body, 'end')])
    first = body.read(1)
  }
  if (first) body.unshift(first)
  return first && (first[0]! & 15) !== 8 ? createInflateRaw() : createInflate()
}

const isPackingError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING)/.test(String(error.code))
