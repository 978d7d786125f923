import type { DatabaseHandle } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'

/** Fewer than these say nothing about what is to come. */
const MIN_MASTERCHAIN_BLOCKS = 32

/**
 * Has PostgreSQL look at its tables as soon as what was missing is indexed: until then it plans queries, and
 * `shardwalk status` counts rows, as if the tables were empty. Its own look comes minutes later, and never to
 * partitioned tables as a whole. Once per process.
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
