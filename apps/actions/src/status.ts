import { readClassifierQueue } from '@shardwalk/db'
import { createMetrics, type Logger, type Shutdown, serveStatus } from '@shardwalk/observability'
import type { Settings } from '@shardwalk/settings'
import type pg from 'pg'
import { classifierMetrics } from './metrics.ts'

export interface StatusOptions {
  readonly settings: Pick<Settings, 'actionsPort' | 'apiHost'>
  readonly pool: pg.Pool
  readonly log: Logger
  readonly shutdown: Shutdown
}

const COUNT_EVERY_MS = 15_000

/** `/healthz`, `/readyz` and `/metrics`, when `ACTIONS_PORT` is set; what the work loop reports to. Ready: the database answers. */
export async function serveClassifierStatus({ settings, pool, log, shutdown }: StatusOptions) {
  const registry = createMetrics({ processMetrics: true })
  const metrics = classifierMetrics(registry)
  if (settings.actionsPort === undefined) return metrics
  const count = () =>
    readClassifierQueue(pool).then(metrics.queue, (error: unknown) =>
      log.warn('queue not counted', { error }),
    )
  const timer = setInterval(count, COUNT_EVERY_MS)
  const server = await serveStatus({
    host: settings.apiHost,
    port: settings.actionsPort,
    metrics: registry,
    readiness: async () => ({ ok: !shutdown.signal.aborted, ...(await readClassifierQueue(pool)) }),
  })
  log.info('actions status served', { address: server.address })
  shutdown.onShutdown('status server', () => {
    clearInterval(timer)
    server.close()
  })
  await count()
  return metrics
}
