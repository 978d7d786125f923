import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import { type Db, writeLiteServers } from '@shardwalk/db'
import type { LiteServerPool } from '@shardwalk/liteserver'
import type { Logger } from '@shardwalk/observability'

const REPORT_EVERY_MS = 10_000

export interface LiteServerReportOptions {
  readonly pool: Pick<LiteServerPool, 'servers'>
  readonly db: Db
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Tells other processes how the lite servers answer this one, until it is stopped. */
export function reportLiteServers({ pool, db, log, signal }: LiteServerReportOptions): Promise<void> {
  const step = async () => {
    const servers = pool.servers().map(({ name, state, faults }) => ({ name, state, faults }))
    await writeLiteServers(db, servers)
    await sleep(REPORT_EVERY_MS, signal)
  }
  const onError = (error: unknown) => log.warn('lite servers were not reported', { error })
  return loopUntilAborted(step, { signal, onError, maxDelayMs: REPORT_EVERY_MS })
}
