// Entry of every worker thread: threads do not inherit the loader that lets the process run TypeScript.
import { getPriority, setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'

// On Linux this concerns the calling thread and those that it starts, elsewhere all of the process.
const { niceness } = workerData
if (niceness && process.platform === 'linux') setPriority(Math.min(getPriority() + niceness, 19))

if (workerData.script.endsWith('.ts')) {
  const { register } = await import('tsx/esm/api')
  register()
}
await import(workerData.script)
if (workerData.loaded) Atomics.store(workerData.loaded, 0, 1)
