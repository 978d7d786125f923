import {
  type BrotliCompress,
  createBrotliCompress,
  createDeflate,
  createGzip,
  type Deflate,
  type Gzip,
} from 'node:zlib'
import compressible from 'compressible'
import type { NextFunction, Request, Response } from 'express'
import Negotiator from 'negotiator'
import { beforeHeaders } from './before-headers.ts'
import { breakOff } from './break-off.ts'
import { BROTLI, COMPRESSED_FROM } from './encodings.ts'

type Encoder = (Gzip | Deflate | BrotliCompress) & {
  /** Of Node.js (lib/zlib.js): what it writes to. */
  _outBuffer?: Buffer | undefined
}
type Listener = (...all: unknown[]) => void
// biome-ignore lint/suspicious/noExplicitAny: the overloads of Node.js
type Method = (...all: any[]) => any

/**
 * Compresses replies as their clients accept it. The library of Express puts functions on each reply that V8
 * allocates as old, with the request and all that it holds (CONTRIBUTING.md).
 */
export function compressReplies(request: Request, response: Response, next: NextFunction): void {
  const reply = new CompressedReply(request, response)
  response.write = reply.write.bind(reply) as Response['write']
  response.end = reply.end.bind(reply) as Response['end']
  response.on = reply.on.bind(reply) as Response['on']
  Object.assign(response, { flush: reply.flush.bind(reply) })
  next()
}

/** Sends what compression keeps: it would look like silence in a long pause. */
export const flushEncoder = (response: Response & { flush?: () => void }): void => response.flush?.()

/** What the headers of a reply are sent with decides whether it is compressed. */
class CompressedReply {
  private encoder: Encoder | undefined
  private isDecided = false
  private isEnded = false
  /** Length of a reply that is ended at once. Bytes. */
  private length = Number.POSITIVE_INFINITY
  /** Those of `drain`, for the encoder if there will be one. */
  private readonly waiting: Listener[] = []
  private readonly plainWrite: Method
  private readonly plainEnd: Method
  private readonly plainOn: Method

  constructor(
    private readonly request: Request,
    private readonly response: Response,
  ) {
    this.plainWrite = response.write.bind(response)
    this.plainEnd = response.end.bind(response)
    this.plainOn = response.on.bind(response)
    beforeHeaders(response, () => this.decide())
    this.plainOn('close', () => this.release())
  }

  write(piece: string | Uint8Array, ...rest: unknown[]): boolean {
    if (this.isEnded) return false
    const encoder = this.withHeaders()
    return encoder ? (encoder.write as Method)(piece, ...rest) : this.plainWrite(piece, ...rest)
  }

  end(...all: unknown[]): Response {
    if (this.isEnded) return this.response
    const [piece] = all
    const isPiece = typeof piece === 'string' || piece instanceof Uint8Array
    if (!this.response.headersSent && !this.response.getHeader('Content-Length'))
      this.length = isPiece
        ? Buffer.byteLength(piece, typeof all[1] === 'string' ? (all[1] as 'utf8') : 'utf8')
        : 0
    const encoder = this.withHeaders()
    if (!encoder) return this.plainEnd(...all)
    this.isEnded = true
    ;(encoder.end as Method)(...all)
    return this.response
  }

  on(event: string | symbol, listener: Listener): Response {
    if (event !== 'drain' || (this.isDecided && !this.encoder)) return this.plainOn(event, listener)
    if (this.encoder) this.encoder.on(event, listener)
    else this.waiting.push(listener)
    return this.response
  }

  /** Sends what the encoder keeps. */
  flush(): void {
    this.encoder?.flush()
  }

  /** The encoder, once the headers are sent. Without one, Node.js sends them with the first piece. */
  private withHeaders(): Encoder | undefined {
    const { response } = this
    this.decide()
    if (this.encoder && !response.headersSent) response.writeHead(response.statusCode)
    return this.encoder
  }

  private decide(): void {
    if (this.isDecided) return
    this.isDecided = true
    this.encoder = this.response.closed || this.response.headersSent ? undefined : this.newEncoder()
    for (const listener of this.waiting.splice(0))
      if (this.encoder) this.encoder.on('drain', listener)
      else this.plainOn('drain', listener)
    if (this.encoder) this.pass(this.encoder)
  }

  private newEncoder(): Encoder | undefined {
    const { request, response } = this
    if (!isCompressible(response)) return undefined
    response.vary('Accept-Encoding')
    const announced = response.getHeader('Content-Length')
    const length = announced === undefined ? this.length : Number(announced)
    if (length < COMPRESSED_FROM || response.hasHeader('Content-Encoding') || request.method === 'HEAD')
      return undefined
    const encoding = acceptedEncoding(request)
    if (!encoding) return undefined
    response.setHeader('Content-Encoding', encoding)
    response.removeHeader('Content-Length')
    return ENCODERS[encoding]()
  }

  /** Node.js 24 makes streams old: this one must not lead to the request, or to its buffers. */
  private release(): void {
    const { encoder } = this
    if (!encoder) return
    this.isEnded = true
    this.encoder = undefined
    encoder.removeAllListeners().on('error', nothing).destroy()
    // While it works, another thread writes there.
    if (encoder.readableEnded) encoder._outBuffer = undefined
  }

  private pass(encoder: Encoder): void {
    encoder.on('error', () => breakOff(this.response))
    encoder.on('data', (piece: Buffer) => {
      if (this.plainWrite(piece) === false) encoder.pause()
    })
    encoder.on('end', () => this.plainEnd())
    this.plainOn('drain', () => encoder.resume())
  }
}

const nothing = () => {}

const ENCODERS = {
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(),
  deflate: () => createDeflate(),
} as const

const AVAILABLE = ['br', 'gzip', 'deflate', 'identity']
/** Of those that the client likes equally. */
const PREFERRED = ['br', 'gzip']

/** The published types of the library lack the option. */
interface Preferring {
  encoding(available: string[], options: { readonly preferred: readonly string[] }): string | undefined
}

function acceptedEncoding(request: Request): keyof typeof ENCODERS | undefined {
  const negotiator: Preferring = new Negotiator(request)
  const best = negotiator.encoding(AVAILABLE, { preferred: PREFERRED })
  return best === undefined || best === 'identity' ? undefined : (best as keyof typeof ENCODERS)
}

function isCompressible(response: Response): boolean {
  const type = String(response.getHeader('Content-Type') ?? '')
  // The list of text types lacks NDJSON.
  const isText = type.startsWith('application/x-ndjson') || compressible(type) === true
  return (
    isText && !/(?:^|,)\s*no-transform\s*(?:,|$)/i.test(String(response.getHeader('Cache-Control') ?? ''))
  )
}
