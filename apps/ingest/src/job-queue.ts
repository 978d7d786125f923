import type { BlockId } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import { JobQueue, type QueueEvent, type QueueStore } from '@shardwalk/queue'
import type { IngestMetrics } from './metrics.ts'
import type { IngestState } from './state.ts'

/** Where the queue is stored, and who sees its events. */
export interface QueueOpening {
  readonly queueStore: QueueStore
  readonly zerostate: BlockId
  readonly stalledAfterMs?: number
  readonly state: IngestState
  readonly metrics: IngestMetrics
  readonly log: Logger
}

/** Opens the queue; its events go to the log and the metrics. */
export function openJobQueue({
  queueStore,
  zerostate,
  stalledAfterMs,
  state,
  metrics,
  log,
}: QueueOpening): Promise<JobQueue> {
  return JobQueue.open({
    store: queueStore,
    network: zerostate.rootHash,
    stalledAfterMs,
    onEvent: (event) => {
      if (event.type === 'failed' && !event.isStopping) state.lastError = event.error
      metrics.queueEvent(event.type)
      logQueueEvent(event, { log, setting: 'redisUrl' in queueStore ? 'REDIS_URL' : 'DATABASE_URL' })
    },
  })
}

function logQueueEvent(
  event: QueueEvent,
  { log, setting }: { readonly log: Logger; readonly setting: string },
): void {
  if (event.type === 'stalled') log.warn('job taken over from a silent worker', { job: event.id })
  if (event.type === 'overtaken') log.info('job runs elsewhere too', { error: event.error })
  if (event.type === 'store_error') log.warn('queue store failed', { setting, error: event.error })
  if (event.type !== 'failed') return
  const fields = { ...event.job, will_retry: event.willRetry, error: event.error }
  if (event.isStopping && event.willRetry) log.debug('job given back', fields)
  else if (event.willRetry) log.warn('job failed', fields)
  else log.error('job given up', fields)
}
