import { createServer } from 'node:http'
import type { Logger, MetricsRegistry, Shutdown } from '@shardwalk/observability'
import type { Settings } from '@shardwalk/settings'
import type { Ingest } from './ingest.ts'

export interface HealthServerOptions {
  readonly settings: Pick<Settings, 'ingestPort' | 'apiHost'>
  readonly metrics: MetricsRegistry
  readonly ingest: Ingest
  readonly log: Logger
  readonly shutdown: Shutdown
}

/** A head that is known and not indexed for this long means that the process is not ready. */
const NOT_READY_AFTER_MS = 30_000

/** `/healthz`, `/readyz` and `/metrics` of the ingest process, when `INGEST_PORT` is set. */
export async function serveHealth({ settings, metrics, ingest, log, shutdown }: HealthServerOptions): Promise<void> {
  if (settings.ingestPort === undefined) return
  const routes: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    '/healthz': async () => ({ status: 200, type: 'text/plain', body: 'OK' }),
    '/readyz': async () => {
      const report = ingest.progress.report()
      const ok = ingest.state.head > 0 && ingest.state.stalledMs() < NOT_READY_AFTER_MS && !shutdown.signal.aborted
      const proved = ingest.proving?.proved ?? null
      const body = JSON.stringify({ ok, ...report, proved, unprovable: ingest.proving?.unprovable })
      return { status: ok ? 200 : 503, type: 'application/json', body }
    },
    '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
  }
  const server = createServer(async (request, response) => {
    const route = routes[new URL(request.url ?? '/', 'http://ingest').pathname]
    const reply = route ? await route() : { status: 404, type: 'text/plain', body: 'not found' }
    response.writeHead(reply.status, { 'Content-Type': reply.type }).end(reply.body)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.ingestPort, settings.apiHost, resolve)
  })
  log.info('ingest status served', { address: server.address() })
  shutdown.onShutdown('status server', () => {
    server.close()
    server.closeAllConnections()
  })
}
