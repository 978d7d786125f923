// Classification of the recorded chain's traces: loading, classifying, writing, in transactions of 200 traces, one connection.
//   node --import tsx packages/db/bench/classify.bench.ts [rounds, default 3]

import { classifyTrace } from '@shardwalk/actions'
import {
  BatchSink,
  CLASSIFIED_TABLES,
  classifyWaiting,
  type EncodedBatch,
  encodeBatch,
  enqueueForClassifier,
  loadTraces,
} from '@shardwalk/db'
import { fixtureChain, scratchDatabase } from '@shardwalk/testkit'

const rounds = Number(process.argv[2] ?? 3)
const scratch = await scratchDatabase()
try {
  const batches: EncodedBatch[] = []
  for await (const { batch, globalVersion } of fixtureChain()) batches.push(encodeBatch(batch, { globalVersion }))
  const started = performance.now()
  for (let at = 0; at < batches.length; at += 50)
    await new BatchSink(scratch.pool).commitBatches(batches.slice(at, at + 50))
  const ingest = performance.now() - started
  await scratch.pool.query('analyze')
  let best = Number.POSITIVE_INFINITY
  let traces = 0
  for (let round = 0; round < rounds; round++) {
    await scratch.pool.query(`truncate ${CLASSIFIED_TABLES.join(', ')}`)
    await enqueueForClassifier(scratch.pool, { from: 1, to: batches.length })
    const start = performance.now()
    traces = 0
    for (;;) {
      const done = await classifyWaiting(scratch.pool, { waitForFacts: false })
      if (done.traces === 0) break
      traces += done.traces
    }
    const ms = performance.now() - start
    console.log(`  round ${round + 1}: ${traces} traces in ${ms.toFixed(0)} ms`)
    best = Math.min(best, ms)
  }
  const rate = (ms: number) => Math.round((traces / ms) * 1000).toLocaleString('en')
  console.log(`classified and stored: ${rate(best)} traces/s; ingest alone made them at ${rate(ingest)} traces/s`)
  await pureRate()
} finally {
  await scratch.close()
}

/** The classifier without a database, and the trace that took longest. */
async function pureRate(): Promise<void> {
  const { rows } = await scratch.pool.query<{ trace_id: Buffer }>(
    'select trace_id from traces where state = 0 and edges > 0',
  )
  const client = await scratch.pool.connect()
  const traces = await loadTraces(
    client,
    rows.map((row) => row.trace_id),
  )
  client.release()
  let slowest = { ms: 0, nodes: 0 }
  for (const trace of traces) classifyTrace(trace, new Map())
  const start = performance.now()
  for (const trace of traces) {
    const before = performance.now()
    classifyTrace(trace, new Map())
    const ms = performance.now() - before
    if (ms > slowest.ms) slowest = { ms, nodes: trace.transactions.length }
  }
  const total = performance.now() - start
  console.log(
    `classifier alone: ${Math.round((traces.length / total) * 1000).toLocaleString('en')} traces/s; slowest ${slowest.ms.toFixed(1)} ms (${slowest.nodes} transactions)`,
  )
}
