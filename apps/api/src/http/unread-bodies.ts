import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { bodyPieces } from './body-pieces.ts'

/**
 * Has bodies that nobody reads, because their requests were refused, thrown away in pieces, as those are
 * taken that somebody reads: 50 of a megabyte at once would occupy the event loop for 50 ms.
 */
export const discardSlowly =
  (serve: RequestListener): RequestListener =>
  (request: IncomingMessage, response: ServerResponse) => {
    // Begins to read before the listener of Node.js sees that nobody has.
    response.prependOnceListener('finish', () => {
      if (!request.readableDidRead && !request.complete) void discard(request)
    })
    serve(request, response)
  }

async function discard(request: IncomingMessage): Promise<void> {
  try {
    for await (const _ of bodyPieces(request));
  } catch {
    // The client has left.
  }
}
