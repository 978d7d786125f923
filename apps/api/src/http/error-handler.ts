import type { Logger } from '@shardwalk/observability'
import type { NextFunction, Request, Response } from 'express'
import { breakOff } from './break-off.ts'
import { isAbandoned, toFailure } from './errors.ts'
import { failureBody } from './failure-body.ts'
import { sendJson } from './reply-writer.ts'

/** Logs what failed and replies with it, unless a reply has begun: that can only be cut off. */
export function errorHandler(log: Logger) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const failure = toFailure(error)
    const { method, path } = request
    if (isAbandoned(request, response)) log.debug('request abandoned', { method, path, error })
    else if (failure.ours) log.error('request failed', { method, path, status: failure.status, error })
    if (response.headersSent) {
      breakOff(response)
      return
    }
    for (const name of ['ETag', 'Cache-Control', 'Trailer', 'X-Next-Cursor']) response.removeHeader(name)
    for (const [name, value] of Object.entries(failure.headers)) response.setHeader(name, value)
    sendJson(response, failureBody(path, failure), failure.status)
  }
}
