import { type DatabaseHandle, readClassifierQueue } from '@shardwalk/db'
import { createMetrics, type Logger, type Shutdown, serveProcessStatus } from '@shardwalk/observability'
import type { Settings } from '@shardwalk/settings'
import { classifierMetrics } from './metrics.ts'

export interface StatusOptions {
  readonly settings: Pick<Settings, 'actionsPort' | 'apiHost'>
  readonly pool: DatabaseHandle['pool']
  readonly log: Logger
  readonly shutdown: Shutdown
}

const COUNT_INTERVAL_MS = 15_000

/** Serves `/healthz`, `/readyz` and `/metrics` if `ACTIONS_PORT` is set. Ready if the database answers. */
export async function serveClassifierStatus({ settings, pool, log, shutdown }: StatusOptions) {
  const registry = createMetrics({ processMetrics: true })
  const metrics = classifierMetrics(registry)
  if (settings.actionsPort === undefined) return metrics
  const count = () =>
    readClassifierQueue(pool).then(metrics.queue, (error: unknown) =>
      log.warn('queue not counted', { error }),
    )
  const timer = setInterval(count, COUNT_INTERVAL_MS)
  shutdown.onShutdown('queue count', () => clearInterval(timer))
  await serveProcessStatus({
    host: settings.apiHost,
    port: settings.actionsPort,
    setting: 'ACTIONS_PORT',
    log,
    shutdown,
    metrics: registry,
    readiness: async () => ({ ok: true, ...(await readClassifierQueue(pool)) }),
  })
  await count()
  return metrics
}
