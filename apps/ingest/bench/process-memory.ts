import { readFileSync } from 'node:fs'
import { collectGarbage } from '@shardwalk/testkit/collect-garbage'

const MEGABYTE = 1 << 20

/** Memory of a process. MB. */
export interface ProcessMemory {
  /** Of this thread: objects that are in use, and pages for them. */
  readonly heapUsed: number
  readonly heapTotal: number
  /** Buffers and whatever else objects of this thread own beside the heap; of that, buffers. */
  readonly external: number
  readonly arrayBuffers: number
  /** The process as a whole, other threads, code and libraries included. */
  readonly rss: number
  /** Of that, what is no file: heaps, stacks, and what was allocated. 0 where the system does not say. */
  readonly anonymous: number
}

/** After a collection of garbage. */
export function processMemory(): ProcessMemory {
  collectGarbage()
  const usage = process.memoryUsage()
  const inMegabytes = (bytes: number) => bytes / MEGABYTE
  return {
    heapUsed: inMegabytes(usage.heapUsed),
    heapTotal: inMegabytes(usage.heapTotal),
    external: inMegabytes(usage.external),
    arrayBuffers: inMegabytes(usage.arrayBuffers),
    rss: inMegabytes(usage.rss),
    anonymous: inMegabytes(anonymousBytes()),
  }
}

function anonymousBytes(): number {
  try {
    const [, kilobytes = 0] =
      /^Anonymous:\s+(\d+) kB/m.exec(readFileSync('/proc/self/smaps_rollup', 'latin1')) ?? []
    return Number(kilobytes) * 1_024
  } catch {
    return 0
  }
}
