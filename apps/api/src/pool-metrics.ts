import type { DatabaseHandle } from '@shardwalk/db'
import type { Metrics } from '@shardwalk/observability'

type Pool = DatabaseHandle['pool']

/** Gauges of busy connections and waiting requests, per kind of pool; those of all servers are added up. */
export function watchPools(servers: readonly Readonly<Record<string, Pool>>[], metrics: Metrics): void {
  const each =
    (read: (pool: Pool) => number) => (gauge: { set(labels: { pool: string }, value: number): void }) => {
      for (const name of Object.keys(servers[0] ?? {}))
        gauge.set(
          { pool: name },
          servers.reduce((sum, pools) => sum + read(pools[name]!), 0),
        )
    }
  const busy = each((pool) => pool.totalCount - pool.idleCount)
  metrics.gauge('db_pool_in_use', 'Database connections that are busy', ['pool'], busy)
  const waiting = each((pool) => pool.waitingCount)
  metrics.gauge('db_pool_waiting', 'Requests that wait for a database connection', ['pool'], waiting)
}
