import type { Metrics } from '@shardwalk/observability'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { clientAddress, isLoopback } from '../access/client-address.ts'
import { failureBody } from './failure-body.ts'
import { sendJson } from './reply-writer.ts'
import { refuseWithPage } from './wants-page.ts'

/** Requests at a time. */
export interface AdmissionLimits {
  /** Concurrent requests in total and per client address. */
  readonly requests: number
  readonly requestsPerClient: number
}

/** The default limits: a single client may take a tenth. */
export const ADMISSION_LIMITS: AdmissionLimits = { requests: 1000, requestsPerClient: 100 }

const BUSY = 'too many requests in progress'

/**
 * Limits concurrent requests. A slot is released when the reply ends or its client disconnects. Clients on
 * the same machine have no limit of their own.
 */
export function admission(
  { requests, requestsPerClient }: AdmissionLimits,
  metrics: Metrics,
): RequestHandler {
  const running = new Map<string, number>()
  let all = 0
  metrics.gauge('http_requests_in_progress', 'Requests in progress.', [], (gauge) => gauge.set({}, all))
  const refused = metrics.counter(
    'http_requests_not_admitted_total',
    'Requests over a limit of concurrency.',
    ['limit'],
  )
  return (request: Request, response: Response, next: NextFunction): void => {
    const client = clientAddress(request.ip)
    const own = running.get(client) ?? 0
    const isOver = { all: all >= requests, client: own >= requestsPerClient && !isLoopback(request.ip) }
    if (isOver.all || isOver.client) {
      refused.inc({ limit: isOver.all ? 'all' : 'client' })
      refuse(request, response, next, isOver.all ? 503 : 429)
      return
    }
    all++
    running.set(client, own + 1)
    response.once('close', () => {
      all--
      const left = running.get(client)! - 1
      if (left > 0) running.set(client, left)
      else running.delete(client)
    })
    next()
  }
}

/** Responds before any of the body is read. */
function refuse(request: Request, response: Response, next: NextFunction, status: 429 | 503): void {
  response.locals['route'] = 'refused'
  if (refuseWithPage(request, next, { status, message: BUSY, retryAfter: 1 })) return
  response.setHeader('Retry-After', '1')
  response.setHeader('Cache-Control', 'no-store')
  sendJson(response, failureBody(request.path, { message: BUSY, status }), status)
}
