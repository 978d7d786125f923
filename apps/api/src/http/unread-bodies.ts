import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { restBetweenPieces } from './body-pieces.ts'

/**
 * Has bodies that nobody reads, because their requests were refused, thrown away in pieces: 50 of a megabyte
 * at once would occupy the event loop for 50 ms.
 */
export const discardSlowly =
  (serve: RequestListener): RequestListener =>
  (request: IncomingMessage, response: ServerResponse) => {
    // Begins to read before the listener of Node.js sees that nobody has.
    response.prependOnceListener('finish', () => {
      if (request.readableDidRead || request.complete) return
      restBetweenPieces(request)
      request.resume()
    })
    serve(request, response)
  }
