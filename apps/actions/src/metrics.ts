import type { Classified, ClassifierQueueState } from '@shardwalk/db'
import type { Metrics } from '@shardwalk/observability'

/** Metrics of an actions process. */
export function classifierMetrics(metrics: Metrics) {
  const traces = metrics.counter('classified_traces_total', 'Traces classified')
  const actions = metrics.counter('classified_actions_total', 'Actions written')
  const failed = metrics.counter('classification_failures_total', 'Traces that got basic actions only')
  const seconds = metrics.histogram(
    'classification_seconds',
    'Duration of one transaction that classifies traces',
  )
  const waiting = metrics.gauge('unclassified_traces', 'Waiting traces, by what they wait for', ['reason'])
  const oldest = metrics.gauge('unclassified_oldest_seconds', 'Age of the oldest waiting trace')
  const changed = metrics.gauge('changed_contracts', 'Contracts whose traces are still to be queued again')
  return {
    classified(done: Classified, durationMs: number): void {
      if (done.traces === 0) return
      traces.inc({}, done.traces)
      actions.inc({}, done.actions)
      failed.inc({}, done.failed)
      seconds.observe({}, durationMs / 1000)
    },
    queue(state: ClassifierQueueState): void {
      waiting.set({ reason: 'contracts' }, state.waitingForContracts)
      waiting.set({ reason: 'turn' }, state.waiting - state.waitingForContracts)
      oldest.set({}, state.oldestSeconds)
      changed.set({}, state.changedAccounts)
    },
  }
}
