export { QUEUE_SCHEMA, type QueueStore } from './backends.ts'
export { QueueStoreRefused, QueueStoreUnreachable } from './errors.ts'
export { Job, type JobName, jobId, LANES, type Lane, MAX_JOB_SEQNOS, ROUTES, retryDelayMs } from './jobs.ts'
export {
  type Handling,
  JobQueue,
  type JobQueueOptions,
  type JobWorker,
  type Outstanding,
  type QueueEvent,
  type WorkOptions,
} from './queue.ts'
