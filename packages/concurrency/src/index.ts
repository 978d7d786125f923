export { startThread } from './start-thread.ts'
export { ThreadDied, ThreadPool, type ThreadReply, type ThreadRequest } from './thread-pool.ts'
export { Alarm, type LoopOptions, loopUntilAborted, sleep, withDeadline } from './waiting.ts'
