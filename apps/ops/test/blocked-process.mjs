// Blocks its event loop for ever if it is the first of its kind, else says so and runs on.
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

try {
  writeFileSync(process.env.MARKER, '', { flag: 'wx' })
  console.log('blocked')
  // Without keeping a core busy.
  if (isMainThread) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
} catch {
  console.log('runs')
  setInterval(() => {}, 1_000)
}
