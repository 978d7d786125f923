import { readFileSync } from 'node:fs'

/** Of Node.js from 23.9 on. */
type CpuUsage = () => { readonly user: number; readonly system: number }
const usage = (process as { threadCpuUsage?: CpuUsage }).threadCpuUsage?.bind(process)

/**
 * Milliseconds for which a processor has run the calling thread: other work of the machine does not count.
 * Where the system does not tell, monotonic milliseconds.
 */
export function threadCpuMs(): number {
  if (usage) {
    const { user, system } = usage()
    return (user + system) / 1_000
  }
  try {
    // Source: Linux, Documentation/scheduler/sched-stats.rst: nanoseconds on a processor come first.
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}
