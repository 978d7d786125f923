import { type Db, metadataFetcherAge } from '@shardwalk/db'
import {
  createHealth,
  type Logger,
  type MetricsRegistry,
  type Shutdown,
  serveProcessStatus,
} from '@shardwalk/observability'
import type { Settings } from '@shardwalk/settings'

export interface StatusOptions {
  readonly settings: Pick<Settings, 'metadataPort' | 'apiHost'>
  readonly metrics: MetricsRegistry
  readonly db: Db
  readonly log: Logger
  readonly shutdown: Shutdown
}

/** The worker reports every minute. */
const MAX_SILENCE_SECONDS = 180

/**
 * Serves `/healthz`, `/readyz` and `/metrics` if `METADATA_PORT` is set. Ready if the database answers and
 * tasks are taken.
 */
export async function serveMetadataStatus({
  settings,
  metrics,
  db,
  log,
  shutdown,
}: StatusOptions): Promise<void> {
  const health = createHealth()
  health.check('database', async () => {
    const ageSeconds = await metadataFetcherAge(db)
    return ageSeconds !== undefined && ageSeconds < MAX_SILENCE_SECONDS
      ? { ok: true, ageSeconds }
      : { ok: false, error: `no tasks were taken for ${MAX_SILENCE_SECONDS} s: see the log of this process` }
  })
  await serveProcessStatus({
    ...{
      host: settings.apiHost,
      port: settings.metadataPort,
      setting: 'METADATA_PORT',
      metrics,
      log,
      shutdown,
    },
    readiness: async () => ({ ...(await health.report()) }),
  })
}
