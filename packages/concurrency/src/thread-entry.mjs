// Entry of every worker thread: threads do not inherit the loader that lets the process run TypeScript.
import { getPriority, setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'

// Behind the thread that answers. On Linux this concerns the calling thread alone, elsewhere all of them.
if (workerData.isBackground && process.platform === 'linux') setPriority(Math.min(getPriority() + 5, 19))

if (workerData.script.endsWith('.ts')) {
  const { register } = await import('tsx/esm/api')
  register()
}
await import(workerData.script)
if (workerData.loaded) Atomics.store(workerData.loaded, 0, 1)
