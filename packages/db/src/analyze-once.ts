import type { Logger } from '@shardwalk/observability'
import type { DatabaseHandle } from './database.ts'

/** Fewer rows are not representative. */
const MIN_MASTERCHAIN_BLOCKS = 32

/**
 * Runs `ANALYZE` once everything missing is indexed, once per process. Until then PostgreSQL plans queries,
 * and `shardwalk status` counts rows, as if the tables were empty: autovacuum analyses tables minutes later,
 * and partitioned tables never.
 */
export class AnalyzeOnce {
  private done = false

  constructor(private readonly options: { readonly pool: DatabaseHandle['pool']; readonly log: Logger }) {}

  async caughtUp({ masterchainBlocks }: { readonly masterchainBlocks: number }): Promise<void> {
    if (this.done || masterchainBlocks < MIN_MASTERCHAIN_BLOCKS) return
    this.done = true
    const startedAt = performance.now()
    try {
      await this.options.pool.query('analyze')
      this.options.log.info('tables analysed', { duration_ms: Math.round(performance.now() - startedAt) })
    } catch (error) {
      this.options.log.warn('tables could not be analysed', { error })
    }
  }
}
