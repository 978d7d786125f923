import { Worker } from 'node:worker_threads'

const ENTRY = new URL('./thread-entry.mjs', import.meta.url)

/** Starts a worker thread whose entry file is TypeScript. `script`: e.g. `new URL('./decode-thread.ts', import.meta.url)`. */
export const startThread = (script: URL): Worker =>
  new Worker(ENTRY, { workerData: { script: script.href }, execArgv: [] })
