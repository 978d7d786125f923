import { sleep } from '@shardwalk/concurrency'
import type { Dataset } from '@shardwalk/db'
import { createShutdown } from '@shardwalk/observability'
import { isAwayForNow } from './away-for-now.ts'
import { CoveredBlocks } from './covered-blocks.ts'
import { exportPartitions, type Run } from './export-dataset.ts'
import { type Partition, partitionsOf } from './export-partitions.ts'
import { resolveRange } from './export-request.ts'
import { CommandError, messageOf } from './outcome.ts'

/** Interval of checks for partitions that have closed. */
const CHECK_MS = 5_000
/** Pause after a check, in durations of the check: a long past must not keep the database busy. */
const PAUSE = 20

/**
 * Writes partitions as they close, until the process is asked to stop. Goes on when the database was away.
 * `hasEnded`: whether the database is one that this process started and that has ended.
 */
export async function followChain(run: Run, hasEnded: () => boolean): Promise<void> {
  const { datasets } = run.request
  const snapshots = datasets.filter(({ kind }) => kind === 'snapshot')
  if (snapshots.length > 0)
    throw new CommandError(`--follow: ${snapshots.map(({ name }) => name).join(', ')} is a snapshot of now`)
  const shutdown = createShutdown({ exit: () => {} })
  const stopListening = shutdown.listen()
  const { signal } = shutdown
  const followed = datasets.map((dataset) => new FollowedDataset(run, dataset))
  let isAway = false
  try {
    while (!signal.aborted) {
      let pauseMs = CHECK_MS
      try {
        for (const one of followed) pauseMs = Math.max(pauseMs, PAUSE * (await one.writeClosed(signal)))
        if (isAway) console.log('the database answers again')
        isAway = false
      } catch (error) {
        if (!isAwayForNow(error) || hasEnded()) throw error
        if (!isAway) console.log(`waiting for the database: ${messageOf(error)}`)
        isAway = true
      }
      await sleep(pauseMs, signal)
    }
  } finally {
    stopListening()
  }
}

class FollowedDataset {
  private readonly covered = new CoveredBlocks()
  private readonly written = new Set<string>()

  constructor(
    private readonly run: Run,
    private readonly dataset: Dataset,
  ) {}

  /** Writes the partitions that have closed since the last call. Returns how long it looked for them. */
  async writeClosed(signal: AbortSignal): Promise<number> {
    const startedAt = performance.now()
    const partitions = await this.partitions()
    const lookedMs = performance.now() - startedAt
    const isWritten = ({ path }: Partition) => this.written.has(path)
    const closed = partitions.filter((partition) => partition.complete && !isWritten(partition))
    for (const partition of closed) {
      if (signal.aborted) break
      await exportPartitions(this.run, this.dataset, [partition], ({ path }) => this.written.add(path))
    }
    this.covered.add(partitions, isWritten)
    return lookedMs
  }

  /**
   * Those that may not be written yet. Blocks that are missing for the moment, as between the head and what
   * was indexed before a restart, only keep their own partitions from being complete.
   */
  private async partitions(): Promise<readonly Partition[]> {
    const { handle, request, context } = this.run
    const range = await resolveRange(handle.db, { ...context.options, 'allow-gaps': true })
    const from = this.covered.next(range.from)
    if (from > range.to) return []
    return partitionsOf(handle, this.dataset, { ...request, range: { ...range, from } })
  }
}
