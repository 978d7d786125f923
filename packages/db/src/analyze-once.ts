import type { Logger } from '@shardwalk/observability'
import type { DatabaseHandle } from './database.ts'
import { isDatabaseAway } from './database-away.ts'

/** Fewer rows are not representative. */
const MIN_MASTERCHAIN_BLOCKS = 32

/** First version with `analyze only`, which leaves the partitions of a table out. */
const HAS_ONLY = 180_000

/**
 * Tables of which nothing, or little of what is in them, was analysed; partitions before their tables. Those
 * that autovacuum keeps up with are left out: to sample all of a large database takes minutes.
 */
const OUTDATED = `
  select case when c.relkind = 'p' and current_setting('server_version_num')::int >= ${HAS_ONLY}
    then 'only ' else '' end || c.oid::regclass as name
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
    and (c.relkind = 'p' or c.reltuples < 0
      or pg_stat_get_mod_since_analyze(c.oid) > greatest(c.reltuples, 0) / 10)
  order by c.relkind = 'p', c.relname`

/**
 * Runs `ANALYZE` once everything missing is indexed, once per process, where it is due. Until then PostgreSQL
 * plans queries, and `shardwalk status` counts rows, as if the tables were empty: autovacuum analyses tables
 * minutes later, and partitioned tables never.
 */
export class AnalyzeOnce {
  private done = false

  constructor(private readonly options: { readonly pool: DatabaseHandle['pool']; readonly log: Logger }) {}

  async caughtUp({ masterchainBlocks }: { readonly masterchainBlocks: number }): Promise<void> {
    if (this.done || masterchainBlocks < MIN_MASTERCHAIN_BLOCKS) return
    this.done = true
    const { pool, log } = this.options
    const startedAt = performance.now()
    try {
      const { rows } = await pool.query<{ name: string }>(OUTDATED)
      let tables = 0
      // One by one, so that the time limit of a statement is that of a table.
      for (const { name } of rows) if (await this.analyze(name)) tables++
      log.info('tables analysed', { tables, duration_ms: Math.round(performance.now() - startedAt) })
    } catch (error) {
      log.warn('tables could not be analysed', { error })
    }
  }

  /** False if this table failed, which is no reason to leave out others: retention may have removed it. */
  private async analyze(name: string): Promise<boolean> {
    const { pool, log } = this.options
    try {
      await pool.query(`analyze ${name}`)
      return true
    } catch (error) {
      if (isDatabaseAway(error)) throw error
      log.warn('a table could not be analysed', { table: name, error })
      return false
    }
  }
}
