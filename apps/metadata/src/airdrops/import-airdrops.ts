import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import { claimAirdrop, sweepAirdrops } from '@shardwalk/db'
import { formatRawAddress } from '@shardwalk/model'
import type { Metrics } from '@shardwalk/observability'
import { TvmPool } from '@shardwalk/tvm'
import { LEASE } from '../lease.ts'
import { type ImportOptions, importList } from './import-list.ts'

export interface AirdropOptions extends Omit<ImportOptions, 'tvm'> {
  /** Instead of one of its own; it is not closed. */
  readonly tvm?: TvmPool
  readonly metrics: Metrics
  readonly pauseMs?: number
}

/**
 * Imports the lists of mintless jettons that are not imported yet, one at a time, until the signal aborts.
 */
export async function importAirdrops(options: AirdropOptions): Promise<void> {
  // No cache, because every owner is queried once.
  const tvm = options.tvm ?? new TvmPool({ cacheSize: 0 })
  try {
    await importUntilStopped({ ...options, tvm })
  } finally {
    if (tvm !== options.tvm) await tvm.close()
  }
}

async function importUntilStopped(options: AirdropOptions & ImportOptions): Promise<void> {
  const { database, log, signal, metrics, pauseMs = 10_000 } = options
  const imports = metrics.counter(
    'metadata_airdrop_imports_total',
    'Lists of mintless jetton owners, by outcome',
    ['outcome'],
  )
  let jetton: string | undefined
  const step = async () => {
    jetton = undefined
    await sweepAirdrops(database.db)
    const task = await claimAirdrop(database.db, { leaseSeconds: LEASE.seconds })
    jetton = task && formatRawAddress(task.address)
    if (task) imports.inc({ outcome: await importList(task, options) })
    else await sleep(pauseMs, signal)
  }
  const onError = (error: unknown, retryInMs: number) =>
    log.warn('import of owner lists failed', { jetton, error, retry_in_ms: retryInMs })
  await loopUntilAborted(step, { signal, onError, firstDelayMs: pauseMs, maxDelayMs: pauseMs })
}
