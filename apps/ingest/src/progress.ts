import type { IngestState } from './state.ts'

/** Progress of indexing over the last seconds. */
export interface ProgressReport {
  readonly head: number
  readonly newestIndexed: number
  /** Number of requested masterchain blocks that are not indexed. */
  readonly missing: number
  readonly masterchainBlocksPerSecond: number
  readonly blocksPerSecond: number
  readonly transactionsPerSecond: number
  /**
   * Seconds until nothing is missing, at the current rate; undefined when nothing moves or nothing is
   * missing.
   */
  readonly etaSeconds: number | undefined
}

interface Sample {
  readonly at: number
  readonly masterchainBlocks: number
  readonly blocks: number
  readonly transactions: number
}

const WINDOW_MS = 10_000

/** Rates over a sliding window of ten seconds. */
export class Progress {
  private readonly samples: Sample[] = []
  missing = 0

  constructor(
    private readonly state: IngestState,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.sample()
  }

  private sample(): Sample {
    const sample = { at: this.now(), ...this.state.totals }
    this.samples.push(sample)
    while (this.samples.length > 2 && sample.at - this.samples[0]!.at > WINDOW_MS) this.samples.shift()
    return sample
  }

  report(): ProgressReport {
    const last = this.sample()
    const first = this.samples[0]!
    const seconds = Math.max(0.001, (last.at - first.at) / 1000)
    const rate = (key: Exclude<keyof Sample, 'at'>) => (last[key] - first[key]) / seconds
    const masterchainBlocksPerSecond = rate('masterchainBlocks')
    const moves = this.missing > 0 && masterchainBlocksPerSecond > 0
    return {
      head: this.state.head,
      newestIndexed: this.state.newestIndexed,
      missing: this.missing,
      masterchainBlocksPerSecond,
      blocksPerSecond: rate('blocks'),
      transactionsPerSecond: rate('transactions'),
      etaSeconds: moves ? this.missing / masterchainBlocksPerSecond : undefined,
    }
  }
}

/** Progress as a line of text. */
export function progressLine(report: ProgressReport): string {
  const { blocksPerSecond, transactionsPerSecond } = report
  const rates = `${blocksPerSecond.toFixed(0)} blocks/s, ${transactionsPerSecond.toFixed(0)} tx/s`
  const lag = report.head - report.newestIndexed
  const head = `head ${report.head}${lag > 0 ? ` (${lag} behind)` : ''}`
  if (report.head === 0) return 'waiting for the network'
  if (report.missing === 0) return `${head}, everything wanted is indexed, ${rates}`
  const eta = report.etaSeconds === undefined ? '' : `, ${formatDuration(report.etaSeconds)} left`
  return `${head}, ${report.missing} blocks missing, ${rates}${eta}`
}

/** Examples: `45 s`, `12 min`, `3 h 20 min`, `5 d 4 h`. */
export function formatDuration(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`
  if (minutes < 90) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
