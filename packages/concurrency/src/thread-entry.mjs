// Entry of every worker thread: threads do not inherit the loader that lets the process run TypeScript.
import { workerData } from 'node:worker_threads'
import { register } from 'tsx/esm/api'

register()
await import(workerData.script)
