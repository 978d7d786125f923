import { type Logger, type MetricsRegistry, type Shutdown, serveStatus } from '@shardwalk/observability'
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
export async function serveHealth({
  settings,
  metrics,
  ingest,
  log,
  shutdown,
}: HealthServerOptions): Promise<void> {
  if (settings.ingestPort === undefined) return
  const server = await serveStatus({
    host: settings.apiHost,
    port: settings.ingestPort,
    metrics,
    readiness: () => ({
      ok: ingest.state.head > 0 && ingest.state.stalledMs() < NOT_READY_AFTER_MS && !shutdown.signal.aborted,
      ...ingest.progress.report(),
      proved: ingest.proving?.proved ?? null,
      unprovable: ingest.proving?.unprovable,
    }),
  })
  log.info('ingest status served', { address: server.address })
  shutdown.onShutdown('status server', () => server.close())
}
