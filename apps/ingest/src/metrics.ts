import type { QuarantineCounts } from '@shardwalk/db'
import type { Metrics } from '@shardwalk/observability'
import { isBehindHead } from '@shardwalk/pipeline'

/** Metrics of an ingest process. */
export type IngestMetrics = ReturnType<typeof ingestMetrics>

/** Metrics of an ingest process. */
export function ingestMetrics(metrics: Metrics) {
  const events = metrics.counter('queue_events_total', 'Failures and take-overs in the queue', ['type'])
  return {
    ...headMetrics(metrics),
    ...commitMetrics(metrics),
    ...backlogMetrics(metrics),
    queueEvent(type: string): void {
      events.inc({ type })
    },
  }
}

/** How far the process is. */
function headMetrics(metrics: Metrics) {
  const head = metrics.gauge('head_seqno', 'Newest masterchain block of the network')
  const indexed = metrics.gauge('indexed_seqno', 'Newest indexed masterchain block')
  const lag = metrics.gauge(
    'head_lag_blocks',
    'Masterchain blocks between the head and the newest indexed one',
  )
  const behind = metrics.gauge(
    'head_behind',
    '1 while the newest indexed block is further behind the head than fetching and writing explain',
  )
  const proved = metrics.gauge(
    'proved_mc_seqno',
    'Newest masterchain block proven by signatures of validators',
  )
  return {
    head(seqno: number, newestIndexed: number): void {
      behind.set({}, isBehindHead(newestIndexed, seqno) ? 1 : 0)
      head.set({}, seqno)
      indexed.set({}, newestIndexed)
      lag.set({}, Math.max(0, seqno - newestIndexed))
    },
    proved(seqno: number): void {
      proved.set({}, seqno)
    },
  }
}

/** What was written. */
function commitMetrics(metrics: Metrics) {
  const commit = metrics.histogram('commit_seconds', 'Time of one database transaction with batches')
  const masterchainBlocks = metrics.counter('indexed_masterchain_blocks_total', 'Masterchain blocks indexed')
  const blocks = metrics.counter('indexed_blocks_total', 'Blocks indexed, masterchain and shards')
  const transactions = metrics.counter('indexed_transactions_total', 'Transactions indexed')
  return {
    committed(done: { seqnos: number; blocks: number; transactions: number; durationMs: number }): void {
      commit.observe({}, done.durationMs / 1000)
      masterchainBlocks.inc({}, done.seqnos)
      blocks.inc({}, done.blocks)
      transactions.inc({}, done.transactions)
    },
  }
}

/** What waits, or cannot be done. */
function backlogMetrics(metrics: Metrics) {
  const contracts = metrics.gauge(
    'contracts_to_examine',
    'Contracts that wait to be examined, or cannot be with what is indexed',
    ['state'],
  )
  const quarantined = metrics.gauge('quarantined', 'Parts of the chain that could not be decoded or stored', [
    'kind',
  ])
  return {
    quarantined(counts: QuarantineCounts): void {
      for (const [kind, count] of Object.entries(counts)) quarantined.set({ kind }, count)
    },
    contracts(waiting: number, missing: number): void {
      contracts.set({ state: 'waiting' }, waiting)
      contracts.set({ state: 'states_missing' }, missing)
    },
  }
}
