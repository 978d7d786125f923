// Worker thread: answers with what it is given, and never when that is "stuck".
import { parentPort } from 'node:worker_threads'

const never = new Int32Array(new SharedArrayBuffer(4))

parentPort.on('message', ({ task, payload }) => {
  // Blocks the thread like a loop without end, but uses no processor.
  if (payload === 'stuck') Atomics.wait(never, 0, 0)
  parentPort.postMessage({ task, result: payload })
})
