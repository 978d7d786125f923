import { sleep } from '@shardwalk/concurrency'
import { findNetwork, WrongNetwork } from '@shardwalk/db'
import type { Metrics } from '@shardwalk/observability'
import type { Replica } from './replica.ts'

/** Interval of checking replicas that were away or get no requests. Milliseconds. */
const PROBE_MS = 1_000
/** Interval of checks while a request waits for a block. Milliseconds. */
const CHECK_AGAIN_MS = 40
/** A replica this far behind the best one (10 s) gets no requests while others answer. */
const MAX_LAG_BLOCKS = 25

/** What a replica must have to answer a request. */
export interface Choice {
  /** Masterchain block that must be indexed; default: any. */
  readonly least?: number | undefined
  /** How long to wait for it. Milliseconds, default 3,000. */
  readonly timeoutMs?: number
  /** Ends the wait. */
  readonly signal?: AbortSignal
}

/** No replica has the block in time. */
export class BehindBlock extends Error {
  constructor(
    readonly least: number,
    /** Newest block of the best replica. */
    readonly newest: number,
  ) {
    super(`masterchain block ${least} is not indexed here yet, the newest is ${newest}`)
  }
}

/** Databases with the same content, from which one is chosen for every request. */
export class ReplicaSet {
  private turn = 0
  private steady: Replica
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly replicas: readonly Replica[]) {
    this.steady = replicas[0]!
  }

  get size(): number {
    return this.replicas.length
  }

  /**
   * The replica for a request: it answers, has the block, and has the fewest requests in progress. Throws
   * `BehindBlock`, and the last error of the database if none answers. A single one without a block to wait
   * for is not asked.
   */
  async choose({ least = 0, timeoutMs = 3_000, signal }: Choice = {}): Promise<Replica> {
    if (this.size === 1 && least === 0) return this.steady
    const deadline = performance.now() + timeoutMs
    for (;;) {
      let best: number | undefined
      for (const replica of this.inOrder(least)) {
        // Marked as away by its own look.
        const newest = await replica.newestBlock().catch(() => undefined)
        if (newest !== undefined && newest >= least) return replica
        best = newest === undefined ? best : Math.max(best ?? 0, newest)
      }
      if (best === undefined) {
        const replica = await this.anyOne()
        if (replica.newest >= least) return replica
        best = replica.newest
      }
      if (signal?.aborted || performance.now() >= deadline) throw new BehindBlock(least, best)
      await sleep(CHECK_AGAIN_MS, signal)
    }
  }

  /** For work that is no request: always the same one while it answers. */
  current(): Replica {
    if (this.size > 1 && !this.isGood(this.steady)) this.steady = this.inOrder(0)[0] ?? this.steady
    return this.steady
  }

  /** A statement failed there: it gets no requests until it answers a probe, which is sent at once. */
  suspect(replica: Replica): void {
    if (this.size === 1) return
    replica.isUp = false
    void replica.probe().catch(() => {})
  }

  /** Throws `WrongNetwork` if two of those that answer hold different chains. */
  async assertOneNetwork(): Promise<void> {
    if (this.size === 1) return
    const found = await Promise.all(this.replicas.map(({ db }) => findNetwork(db).catch(() => undefined)))
    const names = [...new Set(found.flatMap((hash) => hash?.toString('hex') ?? []))]
    if (names.length > 1) throw new WrongNetwork(`with zerostate ${names[0]}`, `also ${names[1]}`)
  }

  /** Looks after replicas that get no requests; ends with `close`. */
  watch(metrics: Metrics): this {
    metrics.gauge(
      'replica_up',
      'Whether a database that the API reads from answers.',
      ['replica'],
      (gauge) => {
        for (const { name, isUp } of this.replicas) gauge.set({ replica: name }, isUp ? 1 : 0)
      },
    )
    metrics.gauge('replica_indexed_seqno', 'Newest masterchain block of each.', ['replica'], (gauge) => {
      for (const { name, newest } of this.replicas) gauge.set({ replica: name }, newest)
    })
    if (this.size > 1)
      this.timer = setInterval(() => {
        for (const replica of this.replicas) void replica.probe().catch(() => {})
      }, PROBE_MS).unref()
    return this
  }

  close(): void {
    clearInterval(this.timer)
  }

  /** The first that answers, if all seem to be away: some may only be slow. Throws the error of one. */
  private async anyOne(): Promise<Replica> {
    const looks = this.replicas.map(async (replica) => {
      await replica.newestBlock({ last: true })
      return replica
    })
    return await Promise.any(looks).catch(({ errors }: AggregateError) => {
      throw errors[0]
    })
  }

  /** Those that answered last, best first. */
  private inOrder(least: number): readonly Replica[] {
    this.turn = (this.turn + 1) % this.size
    const rotated = [...this.replicas.slice(this.turn), ...this.replicas.slice(0, this.turn)]
    const up = rotated.filter((replica) => replica.isUp)
    const rank = (replica: Replica) => (replica.newest < least ? 2 : 0) + (this.isGood(replica) ? 0 : 1)
    return up.sort((a, b) => rank(a) - rank(b) || a.running - b.running)
  }

  /** It answers and is not far behind. */
  private isGood(replica: Replica): boolean {
    const best = Math.max(...this.replicas.map(({ newest }) => newest))
    return replica.isUp && replica.newest >= best - MAX_LAG_BLOCKS
  }
}
