import { setMaxListeners } from 'node:events'
import { type ChainProver, type ChainProverOptions, refuseKnownConflict } from '@shardwalk/chain-prover'
import type { StateSource } from '@shardwalk/contract-indexer'
import {
  BatchSink,
  claimNetwork,
  type DatabaseHandle,
  type RetentionRule,
  type WatchSubject,
} from '@shardwalk/db'
import { BatchDecoder, DatabaseSink, QuarantineRetry } from '@shardwalk/indexing'
import type { Logger, Metrics } from '@shardwalk/observability'
import { type BackfillOrder, BatchFetcher, type BlockSource } from '@shardwalk/pipeline'
import type { JobQueue, QueueStore } from '@shardwalk/queue'
import { ClockBehindChain } from './clock-behind-chain.ts'
import { ClockSetBack } from './clock-set-back.ts'
import { CommitReport } from './commit-report.ts'
import { Forgetting } from './forgetting.ts'
import { FullNodeReports, type FullNodeReportsOptions } from './full-node-reports.ts'
import { HashFilters } from './hash-filters.ts'
import { HeadFollower } from './head-follower.ts'
import { openJobQueue } from './job-queue.ts'
import { Jobs } from './jobs.ts'
import { ingestMetrics } from './metrics.ts'
import { type Part, runParts } from './part.ts'
import { contractRefresher, currencyFinder, planLoop, prover, type Shared, watchdog } from './parts.ts'
import { Progress } from './progress.ts'
import { Retention } from './retention.ts'
import { IngestState } from './state.ts'
import { StatusReport } from './status-report.ts'

export interface IngestOptions {
  readonly source: BlockSource
  readonly database: DatabaseHandle
  readonly queueStore: QueueStore
  readonly start: 'head' | 'genesis' | number
  readonly order: BackfillOrder
  readonly decodeThreads: number
  /** Instead of one of its own with `decodeThreads`; it is not closed. */
  readonly decoder?: BatchDecoder
  readonly backfillConcurrency: number
  readonly log: Logger
  readonly metrics: Metrics
  /** See `SinkOptions`. */
  readonly partitionWidth?: bigint
  /** What is kept; default: everything. */
  readonly retention?: RetentionRule | undefined
  /** What is watched; default: everything. */
  readonly watch?: readonly WatchSubject[] | undefined
  /** When given, contracts are examined as well, on `threads` TVM threads. */
  readonly contracts?: { readonly states: StateSource | undefined; readonly threads: number }
  /** Set for a recorded chain or an archive, whose head may stop without being logged. */
  readonly chainEnds?: boolean
  /** Information about the source, logged when it stalls. */
  readonly evidence?: () => Readonly<Record<string, unknown>>
  /** When given, other processes can read of them there. */
  readonly fullNodes?: FullNodeReportsOptions['fullNodes'] | undefined
  /** When absent, blocks are indexed without being proven. */
  readonly proving?: Pick<ChainProverOptions, 'pool' | 'anchors' | 'onConflict' | 'everyMs'>
  /** See `JobQueueOptions.stalledAfterMs`. */
  readonly stalledAfterMs?: number
}

/** A running ingest. */
export interface Ingest {
  readonly state: IngestState
  readonly progress: Progress
  /** Undefined when nothing is proven. */
  readonly prover: ChainProver | undefined
  /** Accepts no more work, abandons uncommitted work and resolves within `timeoutMs`. */
  close(timeoutMs: number): Promise<void>
}

/**
 * Follows the head and closes gaps until it is closed. Throws if the database belongs to another network or
 * contains a block known to be false.
 */
export async function startIngest(options: IngestOptions): Promise<Ingest> {
  const zerostate = await options.source.zerostateId()
  await claimNetwork(options.database.db, zerostate)
  if (options.proving) await refuseKnownConflict(options.database.db)
  const state = new IngestState()
  const stopping = new AbortController()
  // Every part and every fetch adds a listener.
  setMaxListeners(0, stopping.signal)
  const progress = new Progress(state)
  const shared = { ...options, metrics: ingestMetrics(options.metrics), state, progress, stopping }
  const queue = await openJobQueue({ ...shared, zerostate })
  const decoder = options.decoder ?? new BatchDecoder(options.decodeThreads)
  const { parts, prover } = await openParts(shared, { queue, decoder })
  const closeParts = runParts(parts, stopping)
  const close = async (timeoutMs: number) => {
    await closeParts(timeoutMs)
    await queue.close()
    if (decoder !== options.decoder) await decoder.close()
  }
  return { state, progress, prover, close }
}

interface Opened {
  readonly queue: JobQueue
  readonly decoder: BatchDecoder
}

/** What runs until the ingest is closed. */
async function openParts(shared: Shared, { queue, decoder }: Opened) {
  const { source, database, partitionWidth } = shared
  const writer = new BatchSink(database.pool, { ...(partitionWidth && { partitionWidth }) })
  const sink = new DatabaseSink(database.db, writer, decoder)
  const forgetting = await Forgetting.begin(shared)
  const retention = new Retention({ ...shared, rule: shared.retention })
  const planning = planLoop(shared, { queue, retention })
  const proving = prover(shared)
  if (proving) source.proveHeadsWith?.(proving.proveHead)
  const contracts = contractRefresher(shared)
  const fetcher = new BatchFetcher(source)
  const follower = new HeadFollower({ ...shared, queue, fetcher })
  const report = new CommitReport({ ...shared, prover: proving, contracts, follower })
  const jobs = new Jobs({
    queue,
    sink,
    decoder,
    fetcher,
    backfillConcurrency: shared.backfillConcurrency,
    onCommit: (batches, durationMs) => report.committed(batches, durationMs),
    onDone: () => planning.wake(),
  })
  const parts: readonly (Part | undefined)[] = [
    follower,
    planning,
    jobs,
    contracts,
    currencyFinder(shared),
    retention,
    forgetting,
    new HashFilters(shared),
    new ClockSetBack(shared),
    new QuarantineRetry(shared),
    proving,
    proving && new ClockBehindChain(shared),
    shared.fullNodes && new FullNodeReports({ ...shared, fullNodes: shared.fullNodes }),
    new StatusReport({ ...shared, first: () => planning.first }),
    watchdog(shared, jobs),
  ]
  return { parts: parts.filter((part) => part !== undefined), prover: proving }
}
