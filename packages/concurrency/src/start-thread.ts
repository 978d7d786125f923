import { type ResourceLimits, Worker } from 'node:worker_threads'

const ENTRY = new URL('./thread-entry.mjs', import.meta.url)

/** `niceness` of threads that must not delay the thread that answers requests. */
export const BACKGROUND_NICENESS = 5

/**
 * Starts a worker thread whose entry file may be TypeScript. `script`: e.g. `new URL('./decode-thread.ts',
 * import.meta.url)`; `data` is part of its `workerData`; with a `niceness` in it, the thread gets that
 * priority on Linux. Beyond its limits the thread ends with an error.
 */
export const startThread = (
  script: URL,
  data: Readonly<Record<string, unknown>> = {},
  resourceLimits: ResourceLimits = {},
): Worker => new Worker(ENTRY, { workerData: { ...data, script: script.href }, execArgv: [], resourceLimits })
