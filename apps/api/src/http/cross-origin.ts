import type { NextFunction, Request, Response } from 'express'

const REQUEST_HEADERS = [
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'If-None-Match',
  'Last-Event-ID',
  'X-Ton-Client-Version',
  'X-Actions-Version',
  'X-Timeout',
  'X-No-Address-Book',
  'X-No-Metadata',
  'X-Debug-Request',
  // Whatever else a program sends; this does not include `Authorization`, and old browsers do not know it.
  '*',
].join(', ')
const REPLY_HEADERS = [
  'X-API-Version',
  'Server-Timing',
  'X-Indexed-Mc-Seqno',
  'X-Next-Cursor',
  'X-Ignored-Parameters',
  'X-Export-Max-Rows',
  'ETag',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
].join(', ')

/**
 * Allows requests from pages of any origin: the data is public, and keys are not cookies. Answers preflight
 * requests.
 */
export function crossOrigin(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', REPLY_HEADERS)
  if (request.method !== 'OPTIONS') {
    next()
    return
  }
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, OPTIONS')
  response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS)
  response.setHeader('Access-Control-Max-Age', '86400')
  response.status(204).end()
}
