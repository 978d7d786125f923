export { QUEUE_SCHEMA, type QueueStore } from './backends.ts'
export { Job } from './jobs.ts'
export { JobQueue, type JobWorker, type Outstanding, type QueueEvent, type WorkOptions } from './queue.ts'
