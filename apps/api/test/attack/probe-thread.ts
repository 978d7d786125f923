// Asks for one page again and again, on a thread of its own so that the attack does not delay it.
import { Agent } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { sender } from './send.ts'

/** Between two requests. Milliseconds. */
const PAUSE_MS = 5

const send = sender(workerData.url, new Agent({ keepAlive: true }))
let times: number[] = []
let failed = 0
parentPort!.on('message', () => {
  parentPort!.postMessage({ times, failed })
  times = []
  failed = 0
})
for (;;) {
  const start = performance.now()
  const status = await send({ verb: 'GET', path: workerData.path }).catch(() => 0)
  times.push(performance.now() - start)
  if (status !== 200) failed++
  await setTimeout(PAUSE_MS)
}
