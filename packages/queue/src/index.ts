export { QUEUE_SCHEMA, type QueueStore } from './backends.ts'
export { QueueStoreRefused } from './errors.ts'
export { Job, jobId, MAX_JOB_SEQNOS, retryDelayMs } from './jobs.ts'
export { JobQueue, type JobWorker, type Outstanding, type QueueEvent, type WorkOptions } from './queue.ts'
