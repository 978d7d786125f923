import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { FetchError } from './fetch-error.ts'

/** Reads and decompresses a response body. Throws at `limit` bytes, compressed or not, without reading on. */
export async function readBody(message: IncomingMessage, limit: number): Promise<Buffer> {
  const packed = limited(message, limit)
  const parts: Buffer[] = []
  let size = 0
  const stream = unpacked(packed, message.headers['content-encoding'])
  try {
    for await (const part of stream) {
      size += part.length
      if (size > limit) throw new FetchError('too_big', `more than ${limit} bytes`)
      parts.push(part)
    }
  } catch (error) {
    throw isPackingError(error)
      ? new FetchError('parse', 'the packed body is broken', { cause: error })
      : error
  } finally {
    message.destroy()
  }
  return Buffer.concat(parts)
}

function limited(message: IncomingMessage, limit: number): Readable {
  const announced = Number(message.headers['content-length'])
  if (announced > limit) {
    message.destroy()
    throw new FetchError('too_big', `more than ${limit} bytes`)
  }
  return message
}

function unpacked(body: Readable, encoding: string | undefined): AsyncIterable<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return body
  const unpack = UNPACK[name]?.()
  if (!unpack) throw new FetchError('unsupported', 'the body is packed in an unknown way')
  pipeline(body, unpack, () => {})
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
