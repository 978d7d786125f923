// Classifies the traces of the recorded chain: loads, classifies and writes them in transactions of 200
// traces on one connection.
//   node --import tsx packages/db/bench/classify.bench.ts [rounds, default 3]

import { readFileSync } from 'node:fs'
import { classifyTrace, factsWanted } from '@shardwalk/actions'
import {
  AddressBook,
  BatchSink,
  CLASSIFIED_TABLES,
  type EncodedBatch,
  encodeBatch,
  enqueueForClassifier,
  findTraceRows,
  loadTraces,
  QueueClassifier,
} from '@shardwalk/db'
import { fixtureChain, scratchDatabase } from '@shardwalk/testkit'

const rounds = Number(process.argv[2] ?? 3)
const scratch = await scratchDatabase()
try {
  const { batches, decoded } = await decodeChain()
  const before = await usage()
  const started = performance.now()
  for (let at = 0; at < batches.length; at += 50)
    await new BatchSink(scratch.pool).commitBatches(batches.slice(at, at + 50))
  const ingest = { wall: performance.now() - started, ...minus(await usage(), before) }
  await scratch.pool.query('analyze')
  const classifier = new QueueClassifier(scratch.pool, { waitForFacts: false })
  let traces = 0
  const best = {
    wall: Number.POSITIVE_INFINITY,
    node: Number.POSITIVE_INFINITY,
    postgres: Number.POSITIVE_INFINITY,
  }
  for (let round = 0; round < rounds; round++) {
    await scratch.pool.query(`truncate ${CLASSIFIED_TABLES.join(', ')}`)
    await enqueueForClassifier(scratch.pool, { from: 1, to: batches.length })
    const at = await usage()
    const start = performance.now()
    traces = 0
    for (;;) {
      const done = await classifier.round()
      if (done.traces === 0) break
      traces += done.traces
    }
    const spent = { wall: performance.now() - start, ...minus(await usage(), at) }
    console.log(`  round ${round + 1}: ${traces} traces, ms: ${show(spent)}`)
    for (const key of ['wall', 'node', 'postgres'] as const) best[key] = Math.min(best[key], spent[key])
  }
  const rate = (ms: number) => Math.round((traces / ms) * 1000).toLocaleString('en')
  console.log(`ingest, ms: ${show(ingest)}; decoding before that ${decoded.toFixed(0)}`)
  console.log(`classified and stored, least ms of the rounds: ${show(best)}`)
  const core = best.node + best.postgres
  const ingestCore = decoded + ingest.node + ingest.postgres
  console.log(`traces per second of one core: classified ${rate(core)}, made by ingest ${rate(ingestCore)}`)
  console.log(
    `ratio ${(ingestCore / core).toFixed(1)}; without PostgreSQL's part on both sides ` +
      `${((decoded + ingest.node) / best.node).toFixed(1)}`,
  )
  await pureRate()
} finally {
  await scratch.close()
}

/**
 * Decodes twice, because code runs slowly until it is compiled. Part of the time goes into unpacking the
 * recording.
 */
async function decodeChain(): Promise<{ batches: readonly EncodedBatch[]; decoded: number }> {
  let batches: EncodedBatch[] = []
  let decoded = Number.POSITIVE_INFINITY
  for (let pass = 0; pass < 2; pass++) {
    batches = []
    const start = cpuMs()
    for await (const { batch, globalVersion } of fixtureChain())
      batches.push(encodeBatch(batch, { globalVersion }))
    decoded = Math.min(decoded, cpuMs() - start)
  }
  return { batches, decoded }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** CPU time of this process and of the server's connections in ms; the latter only where /proc exists. */
async function usage(): Promise<{ node: number; postgres: number }> {
  const { rows } = await scratch.pool.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
  )
  return { node: cpuMs(), postgres: rows.reduce((sum, { pid }) => sum + ticksOf(pid) * 10, 0) }
}

function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}

type Usage = Awaited<ReturnType<typeof usage>>

function minus(a: Usage, b: Usage): Usage {
  return { node: a.node - b.node, postgres: a.postgres - b.postgres }
}

function show({ wall, node, postgres }: Usage & { readonly wall: number }): string {
  return (
    `${wall.toFixed(0)} on the clock, ${node.toFixed(0)} of a core in Node, ${postgres.toFixed(0)} in ` +
    'PostgreSQL'
  )
}

/** Measures the classifier without a database and reports the trace that took longest. */
async function pureRate(): Promise<void> {
  const { rows } = await scratch.pool.query<{ trace_id: Buffer }>(
    'select trace_id from traces where state = 0 and edges > 0',
  )
  const client = await scratch.pool.connect()
  const ids = rows.map((row) => row.trace_id)
  const traces = (await loadTraces(client, new AddressBook(), await findTraceRows(client, ids))).map(
    (one) => one.trace,
  )
  client.release()
  let slowest = { ms: 0, nodes: 0 }
  for (const trace of traces) classifyTrace(trace, new Map())
  const wanting = traces.filter((trace) => factsWanted(trace, new Map()).accounts.size > 0).length
  const start = cpuMs()
  for (const trace of traces) {
    const before = performance.now()
    classifyTrace(trace, new Map())
    const ms = performance.now() - before
    if (ms > slowest.ms) slowest = { ms, nodes: trace.transactions.length }
  }
  const total = cpuMs() - start
  console.log(`${wanting} of ${traces.length} traces need facts`)
  console.log(
    `classifier alone: ${Math.round((traces.length / total) * 1000).toLocaleString('en')} traces/s; ` +
      `slowest ${slowest.ms.toFixed(1)} ms (${slowest.nodes} transactions)`,
  )
}
