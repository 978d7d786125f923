export { FairQueue, type FairQueueOptions, type Place, QueueFull } from './fair-queue.ts'
export { startThread } from './start-thread.ts'
export { ThreadDied, ThreadPool, type ThreadReply, type ThreadRequest } from './thread-pool.ts'
export { Alarm, type LoopOptions, loopUntilAborted, sleep, withDeadline } from './waiting.ts'
