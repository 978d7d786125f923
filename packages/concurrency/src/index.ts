export { type ByteLimit, type ByteLimits, ByteRoom, ByteShare } from './byte-room.ts'
export { FairQueue, type FairQueueOptions, QueueFull } from './fair-queue.ts'
export { FairTurns } from './fair-turns.ts'
export { LEASE, type Lease, whileLeased } from './leases.ts'
export { makeFolder } from './make-folder.ts'
export { isRunning, OwnerLock } from './owner-lock.ts'
export { replaceFile } from './replace-file.ts'
export { BACKGROUND_NICENESS, startThread } from './start-thread.ts'
export { threadCpuMs } from './thread-cpu.ts'
export { ThreadDied, ThreadPool, type ThreadReply, type ThreadRequest } from './thread-pool.ts'
export { mapPaced, nextTurn, Pace } from './turns.ts'
export { untilFound } from './until-found.ts'
export {
  Alarm,
  abortWith,
  IdleTimer,
  loopUntilAborted,
  realTime,
  sleep,
  type Time,
  untilAborted,
  withDeadline,
  withTimeLimit,
} from './waiting.ts'
