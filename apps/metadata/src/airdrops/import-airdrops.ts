import { sleep } from '@shardwalk/concurrency'
import { claimAirdrop, sweepAirdrops } from '@shardwalk/db'
import type { Metrics } from '@shardwalk/observability'
import { type ImportOptions, importList, LEASE_SECONDS } from './import-list.ts'

export interface AirdropOptions extends ImportOptions {
  readonly metrics: Metrics
  readonly pauseMs?: number
}

/** Finds mintless jettons whose list is not imported and imports one list after the other, until the signal aborts. */
export async function importAirdrops(options: AirdropOptions): Promise<void> {
  const { database, log, signal, metrics, pauseMs = 10_000 } = options
  const imports = metrics.counter(
    'metadata_airdrop_imports_total',
    'Lists of mintless jettons, by what became of them',
    ['outcome'],
  )
  while (!signal.aborted) {
    try {
      await sweepAirdrops(database.db)
      const task = await claimAirdrop(database.db, { leaseSeconds: LEASE_SECONDS })
      if (task) imports.inc({ outcome: await importList(task, options) })
      else await sleep(pauseMs, signal)
    } catch (error) {
      if (signal.aborted) return
      log.warn('lists of mintless jettons could not be imported', { error })
      await sleep(pauseMs, signal)
    }
  }
}
