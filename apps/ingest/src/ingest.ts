import { setMaxListeners } from 'node:events'
import { BatchSink, claimNetwork, type DatabaseHandle, HeadFollowedMark } from '@shardwalk/db'
import type { Logger, Metrics } from '@shardwalk/observability'
import type { BackfillOrder, BlockSource } from '@shardwalk/pipeline'
import { JobQueue, type QueueEvent, type QueueStore } from '@shardwalk/queue'
import { AnalyzeOnce } from './analyze-once.ts'
import { BatchDecoder } from './batch-decoder.ts'
import { ContractRefresher } from './contracts/refresher.ts'
import type { StateSource } from './contracts/state-source.ts'
import { DatabaseSink } from './database-sink.ts'
import { followHead } from './follow-head.ts'
import { Frontiers } from './frontiers.ts'
import { Jobs } from './jobs.ts'
import { ingestMetrics } from './metrics.ts'
import { PlanLoop } from './plan-loop.ts'
import { Progress } from './progress.ts'
import { Proving, type ProvingOptions, refuseKnownConflict } from './proving/index.ts'
import { loopUntilAborted, pause } from './retry.ts'
import { IngestState } from './state.ts'
import { StatusReport } from './status-report.ts'
import { Watchdog } from './watchdog.ts'

export interface IngestOptions {
  readonly source: BlockSource
  readonly database: DatabaseHandle
  readonly queueStore: QueueStore
  readonly start: 'head' | 'genesis' | number
  readonly order: BackfillOrder
  readonly decodeThreads: number
  readonly backfillConcurrency: number
  readonly log: Logger
  readonly metrics: Metrics
  /** When given, what contracts are is found out as well, on `threads` TVM threads. */
  readonly contracts?: { readonly states: StateSource | undefined; readonly threads: number }
  /** A recorded chain or an archive: that its head stands is nothing to report. */
  readonly chainEnds?: boolean
  /** What is known about the source, for the log when it stalls. */
  readonly evidence?: () => Readonly<Record<string, unknown>>
  /** Absent: blocks are indexed as the source gives them, unproven. */
  readonly proving?: Pick<ProvingOptions, 'pool' | 'anchors' | 'onConflict' | 'everyMs'>
  /** See `JobQueueOptions.stalledAfterMs`. */
  readonly stalledAfterMs?: number
}

/** A head that no source has confirmed for this long is not known. Milliseconds: two waits of whoever follows it, and a little more. */
const HEAD_KNOWN_MS = 15_000
/** Masterchain blocks: what touches these is examined at once. */
const NEAR_HEAD = 16

/** A running ingest. */
export interface Ingest {
  readonly state: IngestState
  readonly progress: Progress
  /** Absent when nothing is proven. */
  readonly proving: Proving | undefined
  /** Takes no more work, abandons what is not committed, resolves within `timeoutMs`. */
  close(timeoutMs: number): Promise<void>
}

/** Follows the head and closes gaps until it is closed. Throws when the database holds another network, or a block that is known to be false. */
export async function startIngest(options: IngestOptions): Promise<Ingest> {
  const { source, database, log } = options
  await claimNetwork(database.db, await source.zerostateId())
  if (options.proving) await refuseKnownConflict(database.db)
  const stopping = new AbortController()
  // Every loop and every fetch listens to it.
  setMaxListeners(0, stopping.signal)
  const metrics = ingestMetrics(options.metrics)
  const state = new IngestState()
  const progress = new Progress(state)
  const decoder = new BatchDecoder(options.decodeThreads)
  const sink = new DatabaseSink(database.db, new BatchSink(database.pool), decoder)
  const watchdog = new Watchdog({
    state,
    log,
    evidence: options.evidence ?? (() => ({})),
    headMayStand: options.chainEnds ?? false,
    abortHeadJob: (reason) => jobs.abortHeadJob(reason),
  })
  const proving =
    options.proving &&
    new Proving({
      ...options.proving,
      db: database.db,
      source,
      log,
      signal: stopping.signal,
      onProved: ({ to }) => metrics.proved(to),
      onConflict: (conflict) => {
        stopping.abort(conflict)
        options.proving?.onConflict(conflict)
      },
    })
  const queue = await JobQueue.open({
    store: options.queueStore,
    stalledAfterMs: options.stalledAfterMs,
    onEvent: (event) => {
      if (event.type === 'failed') watchdog.lastError = event.error
      metrics.queueEvent(event.type)
      logQueueEvent(event, log)
    },
  })
  const isCatchingUp = () => progress.missing > NEAR_HEAD
  const refresher =
    options.contracts &&
    new ContractRefresher({
      database,
      source,
      log,
      isCatchingUp,
      onCounts: (waiting, missing) => metrics.contracts(waiting, missing),
      ...options.contracts,
    })
  const analyze = new AnalyzeOnce({ pool: database.pool, log })
  const plan = new PlanLoop({
    queue,
    indexedRanges: () => sink.indexedRanges(),
    state,
    start: options.start,
    order: options.order,
    maxOutstanding: Math.max(8, options.backfillConcurrency * 3),
    log,
    signal: stopping.signal,
    onMissing: (missing) => {
      progress.missing = missing
      if (missing === 0) void analyze.caughtUp(state.totals)
    },
  })
  const jobs = new Jobs({
    queue,
    source,
    decoder,
    sink,
    log,
    frontiers: new Frontiers(),
    backfillConcurrency: options.backfillConcurrency,
    onDone: () => plan.wake(),
    onCommit: (batches, durationMs) => {
      const seqnos = batches.map((batch) => batch.mcBlockSeqno)
      const blocks = batches.reduce((sum, batch) => sum + batch.blocks, 0)
      const transactions = batches.reduce((sum, batch) => sum + batch.transactions, 0)
      state.indexed({ seqnos, blocks, transactions })
      if (Math.max(...seqnos) > state.head - NEAR_HEAD) refresher?.wake()
      metrics.committed({ seqnos: seqnos.length, blocks, transactions, durationMs })
      metrics.head(state.head, state.newestIndexed)
      proving?.committed(batches)
      log.debug('batches committed', {
        mc_block_seqno: seqnos.at(-1),
        masterchain_blocks: seqnos.length,
        blocks,
        transactions,
        duration_ms: Math.round(durationMs),
      })
    },
  })
  const report = new StatusReport(database.db)
  const followed = new HeadFollowedMark(database.pool)
  const loops = [
    followHead({ source, queue, state, log, signal: stopping.signal }),
    plan.run(),
    ...(refresher ? [refresher.run(stopping.signal)] : []),
    ...(proving ? [proving.run()] : []),
    everySecond(stopping.signal, log, async () => {
      watchdog.tick()
      metrics.head(state.head, state.newestIndexed)
      if (state.head > 0 && plan.first !== undefined)
        await report.write({ head: state.head, first: plan.first })
      await followed.set(state.headUnconfirmedMs() < HEAD_KNOWN_MS)
    }),
  ]
  return {
    state,
    progress,
    proving,
    close: async (timeoutMs) => {
      stopping.abort(new Error('ingest is stopping'))
      await jobs.close(timeoutMs)
      await Promise.race([Promise.allSettled(loops), pause(1_000, new AbortController().signal)])
      await followed.close()
      await queue.close()
      await decoder.close()
    },
  }
}

function logQueueEvent(event: QueueEvent, log: Logger): void {
  if (event.type === 'stalled') log.warn('job taken over from a silent worker', { job: event.id })
  if (event.type === 'store_error') log.warn('queue store failed', { error: event.error })
  if (event.type !== 'failed') return
  const fields = { ...event.job, will_retry: event.willRetry, error: event.error }
  if (event.willRetry) log.warn('job failed', fields)
  else log.error('job given up', fields)
}

const everySecond = (signal: AbortSignal, log: Logger, step: () => Promise<void>): Promise<void> =>
  loopUntilAborted(
    async () => {
      await step()
      await pause(1_000, signal)
    },
    { signal, onError: (error) => log.warn('status was not reported', { error }), maxDelayMs: 2_000 },
  )
