import type { NextFunction, Request, Response } from 'express'
import type { ApiServices } from '../services.ts'
import { beforeHeaders } from './before-headers.ts'

/** TON Center's API v2 that ours follows: clients tell 2.0 and 2.1 apart by it. */
const V2_VERSION = '2.1.1'

/** Counts and times requests by route pattern; sets `X-API-Version` and `Server-Timing`. */
export function measure({ metrics, version, exportPace, requests: recent }: ApiServices) {
  const requests = metrics.counter('http_requests_total', 'HTTP requests by route and status.', [
    'route',
    'status',
  ])
  const seconds = metrics.histogram('http_request_duration_seconds', 'Time to the end of the reply.', [
    'route',
  ])
  const abandoned = metrics.counter('http_requests_abandoned_total', 'Requests whose client left early.', [
    'route',
  ])
  return (request: Request, response: Response, next: NextFunction): void => {
    const start = performance.now()
    exportPace.note()
    response.setHeader('X-API-Version', isV2(request) ? V2_VERSION : version)
    beforeHeaders(response, () => {
      const steps = response.getHeader('Server-Timing')
      const whole = `app;dur=${(performance.now() - start).toFixed(1)}`
      response.setHeader('Server-Timing', steps === undefined ? whole : `${whole}, ${steps}`)
    })
    const routeOf = (): string => (response.locals['route'] as string | undefined) ?? 'other'
    response.once('finish', () => {
      const route = routeOf()
      requests.inc({ route, status: String(response.statusCode) })
      const ms = performance.now() - start
      seconds.observe({ route }, ms / 1000)
      recent.note(ms)
    })
    response.once('close', () => {
      if (!response.writableFinished) abandoned.inc({ route: routeOf() })
    })
    next()
  }
}

const isV2 = ({ path }: Request): boolean => /^\/api\/v2(\/|$)/i.test(path)
