// Ingest of the recorded chain into embedded PostgreSQL, against COPY of the same rows with nothing around it.
//   node --import tsx packages/db/bench/ingest.bench.ts [rounds, default 5]
// `all stages`: a thread verifies hashes, decodes and encodes; the main thread writes transactions of 50 masterchain blocks.
// `raw COPY`: rows encoded beforehand, the same grouping, the same tables and indexes, no upserts, look-ups or progress.
import { Worker } from 'node:worker_threads'
import { BatchSink, CHECKED_TABLES, type EncodedBatch, type EncodedRows, encodeBatch } from '@shardwalk/db'
import { fixtureChain, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import {
  BLOCK_COLUMNS,
  CODE_COLUMNS,
  LATEST_STATE_COLUMNS,
  MESSAGE_COLUMNS,
  SHARD_STATE_COLUMNS,
  TRANSACTION_COLUMNS,
} from '../src/rows/columns.ts'
import { copyInto } from '../src/sink/copy.ts'
import { inTransaction } from '../src/sink/transaction.ts'

const GROUP = 50
const rounds = Number(process.argv[2] ?? 5)
const scratch = await scratchDatabase()
try {
  const batches: EncodedBatch[] = []
  const started = performance.now()
  for await (const { batch, globalVersion } of fixtureChain()) batches.push(encodeBatch(batch, { globalVersion }))
  console.log(`read, verify, decode, encode, cold: ${(performance.now() - started).toFixed(0)} ms`)
  await seed(batches)
  const transactions = sum(batches.map((batch) => batch.transactions.rows))
  const rows =
    transactions + sum(batches.flatMap((b) => [b.messages, b.messagesSent, b.blocks, b.shardState]).map((r) => r.rows))

  const raw = await best('raw COPY', () => rawCopy(batches))
  const sink = await best('sink (encoded beforehand)', () => commit(batches))
  const thread = startThread()
  const all = await best('all stages (thread)', () => decodeAndCommit(thread))
  thread.postMessage('close')
  for (const [name, ms] of [
    ['raw COPY', raw],
    ['sink (encoded beforehand)', sink],
    ['all stages', all],
  ] as const)
    console.log(
      `${name.padEnd(28)} ${ms.toFixed(0).padStart(6)} ms  ${rate(transactions, ms)} transactions/s  ${rate(rows, ms)} rows/s  ${((100 * raw) / ms).toFixed(0)} % of raw COPY`,
    )
} finally {
  await scratch.close()
}

/** Partitions stay: making them belongs to the first second of a month, not to ingest. */
async function seed(batches: readonly EncodedBatch[]): Promise<void> {
  await new BatchSink(scratch.pool).commitBatches(batches)
}

async function best(name: string, work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    await scratch.pool.query(`truncate ${CHECKED_TABLES.join(', ')}`)
    await scratch.pool.query('checkpoint')
    const ms = Number(await work())
    least = Math.min(least, ms)
    console.log(`  ${name}: ${ms.toFixed(0)} ms`)
  }
  return least
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function commit(batches: readonly EncodedBatch[]): Promise<number> {
  const sink = new BatchSink(scratch.pool)
  return timed(async () => {
    for (let at = 0; at < batches.length; at += GROUP) await sink.commitBatches(batches.slice(at, at + GROUP))
  })
}

function rawCopy(batches: readonly EncodedBatch[]): Promise<number> {
  return timed(async () => {
    for (let at = 0; at < batches.length; at += GROUP) await rawCopyGroup(scratch, batches.slice(at, at + GROUP))
  })
}

async function rawCopyGroup({ pool }: ScratchDatabase, group: readonly EncodedBatch[]): Promise<void> {
  const rows = (list: (batch: EncodedBatch) => readonly EncodedRows[]) => group.flatMap(list)
  await inTransaction(pool, async (client) => {
    await copyInto(
      client,
      'blocks',
      BLOCK_COLUMNS,
      rows((b) => [b.blocks]),
    )
    await copyInto(
      client,
      'shard_state',
      SHARD_STATE_COLUMNS,
      rows((b) => [b.shardState]),
    )
    await copyInto(
      client,
      'transactions',
      TRANSACTION_COLUMNS,
      rows((b) => [b.transactions]),
    )
    await copyInto(
      client,
      'messages',
      MESSAGE_COLUMNS,
      rows((b) => [b.messages, b.messagesSent]),
    )
    // Current states have no rows of their own in the long run; a staging table takes the same bytes.
    await copyInto(
      client,
      'stage_latest_account_states',
      LATEST_STATE_COLUMNS,
      rows((b) => [b.latestStates]),
    )
    await copyInto(
      client,
      'stage_codes',
      CODE_COLUMNS,
      rows((b) => [b.codes]),
    )
  })
}

function startThread(): Worker {
  const thread = new URL('./ingest-thread.ts', import.meta.url).href
  // Node 20 gives `--import` to the main thread only: the thread registers the loader itself.
  const code = `import('tsx/esm/api').then(({ register }) => { register(); return import('${thread}') })`
  return new Worker(code, { eval: true, workerData: { groupSize: GROUP } })
}

function decodeAndCommit(thread: Worker): Promise<number> {
  const sink = new BatchSink(scratch.pool)
  return timed(
    () =>
      new Promise<void>((resolve, reject) => {
        let writing: Promise<unknown> = Promise.resolve()
        const onMessage = (group: EncodedBatch[] | 'done') => {
          writing = group === 'done' ? writing.then(() => resolve()) : writing.then(() => sink.commitBatches(group))
          writing.catch(reject)
          if (group === 'done') thread.off('message', onMessage)
        }
        thread.once('error', reject)
        thread.on('message', onMessage)
        thread.postMessage('go')
      }),
  )
}

function rate(count: number, ms: number): string {
  return Math.round((count / ms) * 1000).toLocaleString('en')
}

function sum(list: readonly number[]): number {
  return list.reduce((a, b) => a + b, 0)
}
