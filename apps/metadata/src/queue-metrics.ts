import type { MetadataQueueState } from '@shardwalk/db'
import type { HostLimits } from '@shardwalk/metadata'
import type { Metrics } from '@shardwalk/observability'

/** Returns a function that updates the metrics of the queue. */
export function queueMetrics(
  metrics: Metrics,
  limits: HostLimits,
): (queue: readonly MetadataQueueState[]) => void {
  const tasks = metrics.gauge('metadata_queue', 'Tokens waiting for metadata', ['type', 'state'])
  const oldest = metrics.gauge('metadata_oldest_due_seconds', 'Age of the oldest due token', ['type'])
  const resting = metrics.gauge('metadata_hosts_resting', 'Hosts paused after failures')
  return (queue) => {
    for (const { type, waiting, due, failed, oldestDueSeconds } of queue) {
      for (const [state, value] of Object.entries({ waiting, due, failed })) tasks.set({ type, state }, value)
      oldest.set({ type }, oldestDueSeconds)
    }
    resting.set({}, limits.resting)
  }
}
