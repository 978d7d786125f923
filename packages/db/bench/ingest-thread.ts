// Worker of ingest.bench.ts: verifies, decodes and encodes the recorded chain a given number of times and
// posts the batches in groups; its first message says that it is ready.
import { parentPort, workerData } from 'node:worker_threads'
import { decodeBlock } from '@shardwalk/blocks'
import { type EncodedBatch, encodeBatch, transferables } from '@shardwalk/db/rows'
import { type FixtureBatch, fixtureChain } from '@shardwalk/testkit'

const { groupSize } = workerData as { groupSize: number }
// The files are read once, because unpacking a recording is not part of ingest.
const chain: Pick<FixtureBatch, 'raw' | 'globalVersion'>[] = []
for await (const { raw, globalVersion } of fixtureChain()) chain.push({ raw, globalVersion })

parentPort!.on('message', (message: 'go' | 'close') => {
  if (message === 'close') return parentPort!.close()
  for (let at = 0; at < chain.length; at += groupSize) post(chain.slice(at, at + groupSize).map(encode))
  parentPort!.postMessage('done')
})

parentPort!.postMessage('ready')

function encode({ raw, globalVersion }: (typeof chain)[number]): EncodedBatch {
  const shards = raw.map((block) => decodeBlock(block))
  const masterchain = shards.pop()!
  return encodeBatch({ masterchain, shards }, { globalVersion })
}

function post(group: EncodedBatch[]): void {
  parentPort!.postMessage(group, group.flatMap(transferables))
}
