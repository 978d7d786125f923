import type { Express, Response } from 'express'
import { mountPath, sendJson } from './http/mount.ts'
import type { ApiServices } from './services.ts'

/** A condition of readiness, checked at every probe. */
export interface ReadinessPart {
  readonly name: string
  /** Undefined if it is met. */
  readonly problem: () => Promise<string | undefined>
  /** True: only probes with `?synced=1` need it, others report it as a note. */
  readonly synced?: boolean
}

interface HealthOptions {
  readonly readiness?: readonly ReadinessPart[]
  readonly isShuttingDown?: () => boolean
}

/** Limit of each check. Milliseconds. */
const PROBE_TIMEOUT_MS = 1000

/**
 * `/healthz`: the process runs. `/readyz`: it can answer. `/metrics`: Prometheus. The other paths are the
 * health checks of the TON Center services that this process replaces.
 */
export function mountHealth(app: Express, services: ApiServices, options: HealthOptions): void {
  mountPath(app, ['/healthz', '/healthz/live', '/healthcheck'], (_request, response) => {
    response.type('text/plain').send('OK')
  })
  const indexedSeqno = services.metrics.gauge('indexed_seqno', 'Newest indexed masterchain block')
  mountPath(app, '/metrics', async (_request, response) => {
    const head = await within(services.head.read()).catch(() => undefined)
    if (head?.range) indexedSeqno.set({}, head.range.to)
    response.setHeader('Content-Type', services.metrics.contentType)
    response.end(await services.metrics.text())
  })
  mountPath(app, ['/readyz', '/healthz/ready'], async (request, response) => {
    const synced = new URLSearchParams(request.originalUrl.split('?')[1]).get('synced')
    await reportReadiness(response, services, {
      ...options,
      synced: synced !== null && synced !== '0' && synced !== 'false',
    })
  })
}

async function reportReadiness(
  response: Response,
  services: ApiServices,
  options: HealthOptions & { readonly synced: boolean },
): Promise<void> {
  const reasons: string[] = []
  if (options.isShuttingDown?.()) reasons.push('shutting down')
  const head = await within(services.head.read()).catch((): undefined => {
    reasons.push('database is not available')
  })
  if (head && !head.range) reasons.push('nothing is indexed yet')
  const notes: string[] = []
  const parts = reasons.length > 0 ? [] : (options.readiness ?? [])
  await Promise.all(
    parts.map(async (part) => {
      const problem = await problemOf(part)
      if (problem !== undefined) (part.synced && !options.synced ? notes : reasons).push(problem)
    }),
  )
  const indexed = head?.range ? { first: head.range.from, last: head.range.to } : null
  sendJson(
    response,
    JSON.stringify({
      ok: reasons.length === 0,
      ...(reasons.length > 0 ? { reason: reasons.join('; '), reasons } : {}),
      ...(notes.length > 0 ? { notes } : {}),
      indexed,
    }),
    reasons.length === 0 ? 200 : 503,
  )
}

async function problemOf(part: ReadinessPart): Promise<string | undefined> {
  try {
    return await within(part.problem())
  } catch (error) {
    return `${part.name}: ${error instanceof Error ? error.message : String(error)}`
  }
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PROBE_TIMEOUT_MS} ms`)), PROBE_TIMEOUT_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
