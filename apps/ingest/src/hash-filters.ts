import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import { type DatabaseHandle, fillHashFilters } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type { Part } from './part.ts'

interface HashFiltersOptions {
  readonly database: DatabaseHandle
  readonly log: Logger
}

const PASS_EVERY_MS = 60_000

/** Makes what look-ups by hash need of finished partitions, in one process at a time. */
export class HashFilters implements Part {
  constructor(private readonly options: HashFiltersOptions) {}

  async run(signal: AbortSignal): Promise<void> {
    const { database, log } = this.options
    const onError = (error: unknown) => log.warn('finding finished partitions failed', { error })
    const step = async () => {
      await fillHashFilters(database.pool, {
        signal,
        onError: (error, { name: partition }) =>
          log.warn('reading the hashes of a partition failed', { error, partition }),
        onDone: ({ name }) => log.info('partition can be left out of look-ups by hash', { partition: name }),
      })
      await sleep(PASS_EVERY_MS, signal)
    }
    await loopUntilAborted(step, { signal, onError })
  }
}
