// Entry of every worker thread: threads do not inherit the loader that lets the process run TypeScript.
import { workerData } from 'node:worker_threads'

if (workerData.script.endsWith('.ts')) {
  const { register } = await import('tsx/esm/api')
  register()
}
await import(workerData.script)
if (workerData.loaded) Atomics.store(workerData.loaded, 0, 1)
