import type { NextFunction, Request, Response } from 'express'
import type { ApiServices } from '../services.ts'
import { beforeHeaders } from './before-headers.ts'

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
  return (_request: Request, response: Response, next: NextFunction): void => {
    const start = performance.now()
    exportPace.note()
    response.setHeader('X-API-Version', version)
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
