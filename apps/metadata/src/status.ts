import { type Db, metadataFetcherAge } from '@shardwalk/db'
import {
  createHealth,
  type Logger,
  type MetricsRegistry,
  type Shutdown,
  serveStatus,
} from '@shardwalk/observability'
import type { Settings } from '@shardwalk/settings'

export interface StatusOptions {
  readonly settings: Pick<Settings, 'metadataPort' | 'apiHost'>
  readonly metrics: MetricsRegistry
  readonly db: Db
  readonly log: Logger
  readonly shutdown: Shutdown
}

/** The worker announces itself every minute. */
const MAX_SILENCE_SECONDS = 180

/** `/healthz`, `/readyz` and `/metrics`, when `METADATA_PORT` is set. Ready: the database answers and tasks are taken. */
export async function serveMetadataStatus({
  settings,
  metrics,
  db,
  log,
  shutdown,
}: StatusOptions): Promise<void> {
  if (settings.metadataPort === undefined) return
  const health = createHealth()
  health.check('database', async () => {
    const ageSeconds = await metadataFetcherAge(db)
    return ageSeconds !== undefined && ageSeconds < MAX_SILENCE_SECONDS
      ? { ok: true, ageSeconds }
      : { ok: false, error: 'no task was looked for' }
  })
  const server = await serveStatus({
    host: settings.apiHost,
    port: settings.metadataPort,
    metrics,
    readiness: async () => {
      const report = await health.report()
      return { ...report, ok: report.ok && !shutdown.signal.aborted }
    },
  })
  log.info('metadata status served', { address: server.address })
  shutdown.onShutdown('status server', () => server.close())
}
