import { withDeadline } from '@shardwalk/concurrency'
import { errorMessage } from '@shardwalk/model'
import type { MetricsText, Readiness } from '@shardwalk/observability'
import type { Express } from 'express'
import { mountPath } from './http/mount.ts'
import { sendJson } from './http/reply-writer.ts'
import type { ApiServices } from './services.ts'

/** A condition of readiness, checked at each probe. */
export interface ReadinessPart {
  readonly name: string
  /** Undefined when it is met. */
  readonly problem: () => Promise<string | undefined>
  /** True if only probes with `?synced=1` require it; other probes report it as a note. */
  readonly synced?: boolean
}

export interface HealthOptions {
  readonly readiness?: readonly ReadinessPart[]
  readonly isShuttingDown?: () => boolean
  /** Whether `/metrics` is served as well. */
  readonly publicMetrics?: boolean
}

/** Time limit of each check. Milliseconds. */
const PROBE_TIMEOUT_MS = 1000

/**
 * `/healthz`: the process is running. `/readyz`: it can answer requests. The other paths are health checks of
 * TON Center services that this process replaces.
 */
export function mountHealth(app: Express, services: ApiServices, options: HealthOptions): void {
  mountPath(app, ['/healthz', '/healthz/live', '/healthcheck'], (_request, response) => {
    response.type('text/plain').send('OK')
  })
  const metrics = withHead(services)
  if (options.publicMetrics)
    mountPath(app, '/metrics', async (_request, response) => {
      response.setHeader('Content-Type', metrics.contentType)
      response.end(await metrics.text())
    })
  mountPath(app, ['/readyz', '/healthz/ready'], async (request, response) => {
    const synced = new URLSearchParams(request.originalUrl.split('?')[1]).get('synced')
    const state = await readiness(services, {
      ...options,
      synced: synced !== null && synced !== '0' && synced !== 'false',
    })
    sendJson(response, JSON.stringify(state), state.ok ? 200 : 503)
  })
}

type Observed = Pick<ApiServices, 'metrics' | 'head'>

/** The metrics, with the indexed head at the time of each scrape. */
export function withHead({ metrics, head }: Observed): MetricsText {
  const indexedSeqno = metrics.gauge('indexed_seqno', 'Newest indexed masterchain block')
  const text = async () => {
    const state = await within(head.read()).catch(() => undefined)
    if (state?.range) indexedSeqno.set({}, state.range.to)
    return metrics.text()
  }
  return { contentType: metrics.contentType, text }
}

/** Body of `/readyz`. */
export async function readiness(
  services: Pick<ApiServices, 'head'>,
  options: HealthOptions & { readonly synced: boolean },
): Promise<Readiness> {
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
  return {
    ok: reasons.length === 0,
    ...(reasons.length > 0 ? { reason: reasons.join('; '), reasons } : {}),
    ...(notes.length > 0 ? { notes } : {}),
    indexed,
  }
}

async function problemOf(part: ReadinessPart): Promise<string | undefined> {
  try {
    return await within(part.problem())
  } catch (error) {
    return `${part.name}: ${errorMessage(error)}`
  }
}

const within = <T>(work: Promise<T>): Promise<T> =>
  withDeadline(work, PROBE_TIMEOUT_MS, () => new Error(`no answer within ${PROBE_TIMEOUT_MS} ms`))
