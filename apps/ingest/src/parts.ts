import { ChainProver } from '@shardwalk/chain-prover'
import { ContractRefresher, HiddenCurrencyFinder } from '@shardwalk/contract-indexer'
import { AnalyzeOnce, listIndexedRanges, readIngestStatus } from '@shardwalk/db'
import type { JobQueue } from '@shardwalk/queue'
import type { IngestOptions } from './ingest.ts'
import type { Jobs } from './jobs.ts'
import type { IngestMetrics } from './metrics.ts'
import { PlanLoop } from './plan-loop.ts'
import type { Progress } from './progress.ts'
import type { Retention } from './retention.ts'
import type { IngestState } from './state.ts'
import { Watchdog } from './watchdog.ts'

/** Shared by the parts of an ingest. */
export interface Shared extends Omit<IngestOptions, 'metrics'> {
  readonly metrics: IngestMetrics
  readonly state: IngestState
  readonly progress: Progress
  readonly stopping: AbortController
}

/** Number of missing masterchain blocks above which contracts are examined less often. */
const CATCHING_UP_BLOCKS = 16

/** The loop that queues what is missing. */
export function planLoop(
  { database, state, progress, start, order, backfillConcurrency, log }: Shared,
  { queue, retention }: { queue: JobQueue; retention: Retention },
): PlanLoop {
  const analyze = new AnalyzeOnce({ pool: database.pool, log })
  return new PlanLoop({
    queue,
    state,
    start,
    order,
    log,
    indexedRanges: () => listIndexedRanges(database.db),
    reportedHead: async () => (await readIngestStatus(database.db))?.head ?? 0,
    retainedFrom: () => retention.first,
    maxOutstanding: Math.max(8, backfillConcurrency * 3),
    onMissing: (missing) => {
      progress.missing = missing
      if (missing === 0) void analyze.caughtUp(state.totals)
    },
  })
}

/** Undefined when contracts are not examined. */
export const contractRefresher = ({
  database,
  source,
  contracts,
  progress,
  metrics,
  log,
}: Shared): ContractRefresher | undefined =>
  contracts &&
  new ContractRefresher({
    database,
    source,
    log,
    ...contracts,
    isCatchingUp: () => progress.missing > CATCHING_UP_BLOCKS,
    onCounts: (waiting, missing) => metrics.contracts(waiting, missing),
  })

/** Looks for extra currencies that blocks do not show. */
export const currencyFinder = ({ database, contracts, log }: Shared): HiddenCurrencyFinder =>
  new HiddenCurrencyFinder({ database, log, states: contracts?.states })

/** Undefined when nothing is proven. A conflict stops all parts. */
export const prover = ({
  database,
  source,
  proving,
  metrics,
  stopping,
  log,
}: Shared): ChainProver | undefined =>
  proving &&
  new ChainProver({
    ...proving,
    db: database.db,
    source,
    log,
    onProved: ({ to }) => metrics.proved(to),
    onConflict: (conflict) => {
      stopping.abort(conflict)
      proving.onConflict(conflict)
    },
  })

/** Watches that the head moves; a stalled job is aborted and tried again. */
export const watchdog = ({ state, log, evidence = () => ({}), chainEnds = false }: Shared, jobs: Jobs) =>
  new Watchdog({
    state,
    log,
    evidence,
    headMayStand: chainEnds,
    abortHeadJob: (reason) => jobs.abortHeadJob(reason),
  })
