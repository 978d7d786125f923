// Worker of ingest.bench.ts: reads, verifies, decodes and encodes the recorded chain, posts the batches.
import { parentPort, workerData } from 'node:worker_threads'
import { type EncodedBatch, encodeBatch, transferables } from '@shardwalk/db/rows'
import { fixtureChain } from '@shardwalk/testkit'

const { groupSize } = workerData as { groupSize: number }
let group: EncodedBatch[] = []
const post = (): void => {
  parentPort!.postMessage(group, group.flatMap(transferables))
  group = []
}
parentPort!.on('message', async (message: 'go' | 'close') => {
  if (message === 'close') return parentPort!.close()
  for await (const { batch, globalVersion } of fixtureChain()) {
    group.push(encodeBatch(batch, { globalVersion }))
    if (group.length === groupSize) post()
  }
  if (group.length > 0) post()
  parentPort!.postMessage('done')
})
