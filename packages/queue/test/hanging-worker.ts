// A process that takes one job of the head from each store (the arguments, as JSON) and never ends it.
import { JobQueue, type QueueStore } from '../src/index.ts'

for (const text of process.argv.slice(2)) {
  const store = JSON.parse(text) as QueueStore
  const queue = await JobQueue.open({ store, network: Buffer.alloc(32, 1) })
  const hang = () => {
    console.log('taken')
    return new Promise<void>(() => {})
  }
  queue.work({ lane: 'head', concurrency: 1, handle: hang })
}
