import type { DatabaseHandle } from '@shardwalk/db'
import type { Metrics } from '@shardwalk/observability'

/** Gauges of busy connections and waiting requests, per pool. */
export function watchPools(pools: Readonly<Record<string, DatabaseHandle['pool']>>, metrics: Metrics): void {
  const each =
    (read: (pool: DatabaseHandle['pool']) => number) =>
    (gauge: { set(labels: { pool: string }, value: number): void }) => {
      for (const [name, pool] of Object.entries(pools)) gauge.set({ pool: name }, read(pool))
    }
  const busy = each((pool) => pool.totalCount - pool.idleCount)
  metrics.gauge('db_pool_in_use', 'Database connections that are busy', ['pool'], busy)
  const waiting = each((pool) => pool.waitingCount)
  metrics.gauge('db_pool_waiting', 'Requests that wait for a database connection', ['pool'], waiting)
}
