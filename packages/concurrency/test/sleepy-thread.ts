// Worker thread: answers with what it is given, and never when that is "stuck".
import { parentPort } from 'node:worker_threads'
import type { ThreadRequest } from '../src/index.ts'

parentPort!.on('message', ({ task, payload }: ThreadRequest) => {
  while (payload === 'stuck');
  parentPort!.postMessage({ task, result: payload })
})
