import { Pace } from '@shardwalk/concurrency'
import type { Page } from '@shardwalk/replies'
import type { Response } from 'express'
import { holdBytes } from './bytes-in-flight.ts'

/** Replies up to this length are written at once, with a `Content-Length`. Characters. */
const WHOLE = 262_144
/**
 * Size of the pieces in which longer replies are written; each waits until the previous one was accepted.
 * Bytes.
 */
const PIECE = 65_536

/** The reply is much larger than estimated, so its connection was closed. */
class ReplyTooLarge extends Error {
  constructor(readonly maxBytes: number) {
    super(`the reply exceeds ${maxBytes} bytes`)
    this.name = 'ReplyTooLarge'
  }
}

/** A page to be written, and the limit of its size. */
export interface PageReply {
  /** Key of the rows; empty when the reply is an array. */
  readonly key: string
  readonly page: Page
  /** Estimated size; a reply of twice this size is aborted. */
  readonly maxBytes: number
}

/**
 * Writes a page of rows, no faster than the client reads; rows are rendered one by one. Small pages are
 * written at once. A failure before the first piece is reported as an error; a later one closes the
 * connection.
 */
export async function writePage(response: Response, { key, page, maxBytes }: PageReply): Promise<void> {
  const writer = new ReplyWriter(response, maxBytes)
  await writer.add(key === '' ? '[' : `{"${key}":[`)
  let isFirst = true
  for await (const item of page.items) {
    await writer.add(isFirst ? item : `,${item}`)
    isFirst = false
    // HEAD needs only the headers.
    if (writer.isOver) return
  }
  await writer.add(']')
  if (key !== '') {
    const fields = typeof page.fields === 'function' ? await page.fields() : (page.fields ?? {})
    for (const [name, value] of Object.entries(fields)) await writer.add(`,"${name}":${value}`)
    await writer.add('}')
  }
  await writer.end()
}

class ReplyWriter {
  private readonly pace = new Pace()
  private waiting: string[] = []
  private waitingLength = 0
  private written = 0
  private isStreaming = false

  constructor(
    private readonly response: Response,
    private readonly maxBytes: number,
  ) {}

  /** True when the client has disconnected. */
  get isOver(): boolean {
    return this.response.destroyed || this.response.writableEnded
  }

  async add(text: string): Promise<void> {
    this.waiting.push(text)
    this.waitingLength += text.length
    if (this.waitingLength >= (this.isStreaming ? PIECE : WHOLE)) await this.flush()
    await this.pace.rest()
  }

  async end(): Promise<void> {
    if (this.isOver) return
    const text = this.take()
    if (!this.isStreaming) return sendJson(this.response, text)
    await writePieces(this.response, text)
    this.response.end()
  }

  private async flush(): Promise<void> {
    if (this.isOver) return
    if (!this.isStreaming) {
      this.isStreaming = true
      this.response.status(200)
      this.response.setHeader('Content-Type', JSON_TYPE)
      if (this.response.req.method === 'HEAD') {
        this.response.end()
        return
      }
    }
    this.written += this.waitingLength
    // Estimates may be wrong by the size of message bodies, but not by more.
    if (this.written > 2 * this.maxBytes) throw new ReplyTooLarge(2 * this.maxBytes)
    await writePieces(this.response, this.take())
  }

  private take(): string {
    const text = this.waiting.join('')
    this.waiting = []
    this.waitingLength = 0
    return text
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Throws `HttpError` when too many bytes are in flight; errors are always sent. */
export function sendJson(response: Response, body: string, status = 200): void {
  if (status < 400) holdBytes(response, body.length)
  response.status(status)
  response.setHeader('Content-Type', JSON_TYPE)
  response.setHeader('Content-Length', Buffer.byteLength(body))
  if (body.length <= WHOLE || response.req.method === 'HEAD') response.end(body)
  else void writePieces(response, body).then(() => response.end())
}

/** The same with a body that is compressed already. */
export function sendEncoded(response: Response, body: Uint8Array, encoding: string): void {
  holdBytes(response, body.length)
  response.setHeader('Content-Type', JSON_TYPE)
  response.setHeader('Content-Encoding', encoding)
  response.setHeader('Content-Length', body.length)
  response.end(body)
}

/** Writes the text in pieces, no faster than the client reads; returns early when the client disconnects. */
export async function writePieces(response: Response, text: string): Promise<void> {
  // One piece is encoded at a time, and no character is split.
  for (let at = 0; at < text.length && !response.destroyed; ) {
    const end = endOfPiece(text, at)
    await writeText(response, text.slice(at, end))
    at = end
  }
}

function endOfPiece(text: string, from: number): number {
  const end = from + PIECE
  if (end >= text.length) return text.length
  const isSplitPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
  return isSplitPair ? end + 1 : end
}

/** Resolves when more may be written or the client has disconnected. */
async function writeText(response: Response, text: string): Promise<void> {
  if (text === '' || response.destroyed || response.write(text)) return
  await nextDrain(response)
}

const KEY = 'drained'

/**
 * One listener for all pieces of a reply: listeners added with `once` are not removed, because the
 * compression moves them to another stream.
 */
function nextDrain(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const isListening = KEY in response.locals
    response.locals[KEY] = resolve
    if (isListening) return
    const goOn = () => response.locals[KEY]()
    response.on('drain', goOn)
    response.on('close', goOn)
  })
}
