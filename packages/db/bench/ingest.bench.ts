// Compares ingest of the recorded chain into embedded PostgreSQL with a plain COPY of the same rows, with one
// transaction at a time and with two at once, as many as ingest has for history.
//   node --import tsx packages/db/bench/ingest.bench.ts [rounds, default 5] [masterchain blocks, default 50]
// `all stages`: a thread verifies hashes, decodes and encodes; the main thread writes transactions of so many
// masterchain blocks. `sink`: same with batches encoded beforehand. `raw COPY`: all resulting rows - chain,
// states, code, traces, queues - are copied into the same tables with the same indexes, in as many
// transactions, without lookups or updates.
import { on, once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '@shardwalk/concurrency'
import { BatchSink, type EncodedBatch, encodeBatch } from '@shardwalk/db'
import { fixtureChain, scratchDatabase } from '@shardwalk/testkit'
import { runScript } from '../src/writing/copy.ts'
import { inTransaction } from '../src/writing/transaction.ts'
import { AtOnce } from './at-once.ts'
import { type CpuTime, cpuBetween, cpuClock } from './cpu-time.ts'
import { readTables, type StoredTable, writtenTables } from './stored-rows.ts'

interface Measured extends CpuTime {
  readonly ms: number
}

const rounds = Number(process.argv[2] ?? 5)
const GROUP = Number(process.argv[3] ?? 50)
const scratch = await scratchDatabase()
try {
  const batches: EncodedBatch[] = []
  for await (const { batch, globalVersion } of fixtureChain())
    batches.push(encodeBatch(batch, { globalVersion }))
  // Partitions remain, because they are created once a month and not by every batch.
  await new BatchSink(scratch.pool).commitBatches(batches)
  const tables = await readTables(scratch.pool, Math.ceil(batches.length / GROUP))
  const rows = sum(tables.flatMap(({ portions }) => portions.map((portion) => portion.rows)))
  const transactions = sum(batches.map((batch) => batch.transactions.rows))
  const bytes = sum(tables.flatMap(({ portions }) => portions.map((portion) => portion.bytes.length)))
  console.log(
    `${rows} rows, ${(bytes / 1e6).toFixed(1)} MB in binary COPY format, of ${tables.length} tables`,
  )

  const thread = startThread(new URL('./ingest-thread.ts', import.meta.url), { groupSize: GROUP })
  // It computes until it has read the recording.
  await once(thread, 'message')
  for (const atOnce of [1, 2]) {
    const raw = await best('raw COPY', () => rawCopy(tables, atOnce))
    const sink = await best('sink (encoded beforehand)', () => commit(batches, atOnce))
    const all = await best('all stages (thread)', () => decodeAndCommit(thread, atOnce))
    console.log(`transactions at once: ${atOnce}`)
    for (const [name, one] of Object.entries({ 'raw COPY': raw, sink, 'all stages': all }))
      console.log(
        `${name.padEnd(12)} ${show(one)}  ` +
          `${Math.round((transactions / one.ms) * 1000).toLocaleString('en')} transactions/s  ` +
          `${((100 * raw.ms) / one.ms).toFixed(0)} % of raw COPY`,
      )
  }
  thread.postMessage('close')
} finally {
  await scratch.close()
}

/** The round with the shortest wall time. */
async function best(name: string, work: () => Promise<unknown>): Promise<Measured> {
  let least: Measured | undefined
  for (let round = 0; round < rounds; round++) {
    await scratch.pool.query(
      `truncate ${[...(await writtenTables(scratch.pool)), 'indexed_ranges'].join(', ')}; checkpoint`,
    )
    const before = await cpuClock(scratch.pool)
    const start = performance.now()
    await work()
    const ms = performance.now() - start
    const measured = { ms, ...cpuBetween(before, await cpuClock(scratch.pool)) }
    if (!least || ms < least.ms) least = measured
    console.log(`  ${name}: ${show(measured)}`)
  }
  return least!
}

function show({ ms, node, postgres }: Measured): string {
  return (
    `${ms.toFixed(0).padStart(6)} ms (CPU: Node ${node.toFixed(0)} ms, PostgreSQL ` +
    `${postgres?.toFixed(0) ?? '?'} ms)`
  )
}

async function commit(batches: readonly EncodedBatch[], atOnce: number): Promise<void> {
  const sink = new BatchSink(scratch.pool)
  const groups = new AtOnce(atOnce)
  for (let at = 0; at < batches.length; at += GROUP)
    await groups.begin(() => sink.commitBatches(batches.slice(at, at + GROUP)))
  await groups.end()
}

async function rawCopy(tables: readonly StoredTable[], atOnce: number): Promise<void> {
  const portions = new AtOnce(atOnce)
  for (const portion of tables[0]!.portions.keys())
    await portions.begin(() =>
      inTransaction(
        scratch.pool,
        (client) =>
          runScript(
            client,
            tables.map(({ name, columns, portions }) => ({
              table: name,
              columns,
              parts: [portions[portion]!],
            })),
          ),
        { durable: false },
      ),
    )
  await portions.end()
}

async function decodeAndCommit(thread: Worker, atOnce: number): Promise<void> {
  const sink = new BatchSink(scratch.pool)
  const groups = new AtOnce(atOnce)
  thread.postMessage('go')
  for await (const [group] of on(thread, 'message') as AsyncIterable<[EncodedBatch[] | 'done']>) {
    if (group === 'done') break
    await groups.begin(() => sink.commitBatches(group))
  }
  await groups.end()
}

function sum(list: readonly number[]): number {
  return list.reduce((a, b) => a + b, 0)
}
