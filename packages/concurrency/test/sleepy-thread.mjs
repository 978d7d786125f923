// Worker thread: answers with what it is given, and never when that is "stuck".
import { parentPort } from 'node:worker_threads'

parentPort.on('message', ({ task, payload }) => {
  while (payload === 'stuck');
  parentPort.postMessage({ task, result: payload })
})
