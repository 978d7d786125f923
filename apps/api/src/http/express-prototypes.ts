import { IncomingMessage, ServerResponse } from 'node:http'
import type { Express } from 'express'

/**
 * For `createServer`: requests and replies that have the prototypes of the application from the start, which
 * Express would give to each of them. V8 then creates a new shape for each; shapes become old and stay until
 * a major collection, which delays all requests.
 */
export function withPrototypesOf(app: Express) {
  class Request extends IncomingMessage {}
  class Reply extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request)
  Object.setPrototypeOf(Reply.prototype, app.response)
  app.request = Request.prototype as typeof app.request
  app.response = Reply.prototype as typeof app.response
  return { IncomingMessage: Request, ServerResponse: Reply }
}
