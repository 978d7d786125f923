import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { nextTurn } from '@shardwalk/concurrency'

/** What Node.js reads from a socket at a time; pieces of bodies are a little shorter. Bytes. */
const PIECE_BYTES = 65_536

/**
 * Has a body taken in pieces: of each connection about one in an iteration of the event loop. Node.js would
 * take up to 32 of them, 2 MB, before it serves another connection.
 */
export function restBetweenPieces(request: IncomingMessage): void {
  request.on('data', (piece: Buffer) => {
    if (!isLarge(piece)) return
    request.pause()
    setImmediate(() => request.resume())
  })
}

/** The pieces of a body, with the same rests. A consumer that is quick enough would get 2 MB at once, too. */
export async function* bodyPieces(request: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const piece of request as AsyncIterable<Buffer>) {
    yield piece
    if (isLarge(piece)) await nextTurn()
  }
}

/**
 * Discards unread bodies of refused requests in pieces: 50 of a megabyte at once would occupy the event loop
 * for 50 ms.
 */
export const discardSlowly =
  (serve: RequestListener): RequestListener =>
  (request: IncomingMessage, response: ServerResponse) => {
    // Begins to read before the listener of Node.js finds the body unread.
    response.prependOnceListener('finish', () => {
      if (request.readableDidRead || request.complete) return
      restBetweenPieces(request)
      request.resume()
    })
    serve(request, response)
  }

const isLarge = (piece: Buffer): boolean => piece.length >= PIECE_BYTES / 2
