import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import {
  countQuarantine,
  type DatabaseHandle,
  HeadFollowedMark,
  type IngestStatus,
  writeIngestStatus,
} from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type { IngestMetrics } from './metrics.ts'
import type { Part } from './part.ts'
import type { IngestState } from './state.ts'

export interface StatusReportOptions {
  readonly database: DatabaseHandle
  readonly state: IngestState
  readonly metrics: IngestMetrics
  readonly log: Logger
  /** First masterchain seqno to index; undefined until the head is known. */
  readonly first: () => number | undefined
}

const REPORT_EVERY_MS = 1_000
/**
 * A head that no source has confirmed for this long counts as unknown: slightly more than two waits of the
 * follower.
 */
const HEAD_KNOWN_MS = 15_000

/** Reports the head, and whether it is followed, to other processes and to the metrics. */
export class StatusReport implements Part {
  private readonly followed: HeadFollowedMark
  /** Undefined while the head of another process is stored. */
  private written: IngestStatus | undefined

  constructor(private readonly options: StatusReportOptions) {
    this.followed = new HeadFollowedMark(options.database.pool)
  }

  run(signal: AbortSignal): Promise<void> {
    const { log } = this.options
    const step = async () => {
      await this.report()
      await sleep(REPORT_EVERY_MS, signal)
    }
    const onError = (error: unknown) => log.warn('status was not reported', { error })
    return loopUntilAborted(step, { signal, onError, maxDelayMs: 2_000 })
  }

  close(): Promise<void> {
    return this.followed.close()
  }

  private async report(): Promise<void> {
    const { database, state, metrics } = this.options
    metrics.head(state.head, state.newestIndexed)
    metrics.quarantined(await countQuarantine(database.db))
    const first = this.options.first()
    if (state.head > 0 && first !== undefined) await this.write({ head: state.head, first })
    await this.followed.set(state.headUnconfirmedMs() < HEAD_KNOWN_MS)
  }

  private async write(status: IngestStatus): Promise<void> {
    const { written } = this
    if (written?.head === status.head && written.first === status.first) return
    // Others that follow a newer head report that with its next block.
    const replacesHead = written !== undefined && status.head < written.head
    const isStored = await writeIngestStatus(this.options.database.db, status, { replacesHead })
    this.written = isStored ? status : undefined
  }
}
