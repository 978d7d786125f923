// Measures bytes on disk per transaction, table and index: as ingest leaves them, without rewriting anything;
// with one copy then once more with contracts examined and traces classified; last with compact partitions.
//   node --import tsx packages/db/bench/size.bench.ts [copies, default 1]
// More copies repeat the recording with other accounts and hashes, so that fixed costs become negligible and
// index trees reach a realistic shape.

import { BatchSink, compactPartitions, encodeBatch } from '@shardwalk/db'
import type { Batch } from '@shardwalk/model'
import { endPartition, fixtureChain, scratchDatabase } from '@shardwalk/testkit'
import { classifyAll, RecordedNetwork, refreshAll } from '@shardwalk/testkit/refresh-chain'
import { TABLES_OF_PROGRESS } from '../src/queries/checksums.ts'
import { copyOfBatch } from './scaled-chain.ts'

const CHAIN = [
  ...['accounts', 'blocks', 'transactions', 'messages', 'latest_account_states', 'codes'],
  ...['account_data', 'state_parts'],
]
const TRACES = ['traces', 'trace_pieces']

const copies = Number(process.argv[2] ?? 1)
const chain: { batch: Batch; globalVersion: number }[] = []
for await (const { batch, globalVersion } of fixtureChain()) chain.push({ batch, globalVersion })
const extent = { batches: chain.length, lt: chain.at(-1)!.batch.masterchain.header.endLt }

const scratch = await scratchDatabase()
try {
  const sink = new BatchSink(scratch.pool)
  // One transaction per masterchain block, as at the head of the chain.
  for (let copy = 0; copy < copies; copy++)
    for (const { batch, globalVersion } of chain)
      await sink.commitBatches([encodeBatch(copyOfBatch(batch, copy, extent), { globalVersion })])
  await scratch.pool.query('vacuum analyze')
  await report()
  if (copies === 1) {
    console.log('\nContracts examined, traces classified:')
    await derive()
    await scratch.pool.query('vacuum analyze')
    await report()
  }
  console.log('\nPartitions compact:')
  await endPartition(scratch)
  await compactPartitions(scratch.pool)
  await report()
} finally {
  await scratch.close()
}
// Refreshers share a thread that does not end.
process.exit()

async function derive(): Promise<void> {
  const network = await RecordedNetwork.open()
  const refresher = network.refresher(scratch)
  await refreshAll(refresher)
  await refresher.close()
  await network.close()
  await classifyAll(scratch)
}

async function report(): Promise<void> {
  const counts = await scratch.pool.query<{ n: bigint }>('select count(*) as n from transactions')
  const transactions = Number(counts.rows[0]!.n)
  const { rows } = await scratch.pool.query<{
    name: string
    kind: 'r' | 'i'
    table: string
    bytes: bigint
    rows: number
  }>(`
    select regexp_replace(c.relname, '_lt_\\d+', '') as name, c.relkind as kind,
      regexp_replace(coalesce(t.relname, c.relname), '_lt_\\d+', '') as table,
      sum(c.reltuples)::float8 as rows,
      sum(pg_relation_size(c.oid) + case when c.relkind = 'r'
        then coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0) else 0 end)::bigint as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_index x on x.indexrelid = c.oid left join pg_class t on t.oid = x.indrelid
    where n.nspname = 'public' and c.relkind in ('r', 'i') group by 1, 2, 3 order by 5 desc`)
  const total = rows.reduce((sum, { bytes }) => sum + Number(bytes), 0)
  const perTransaction = (bytes: number) => (bytes / transactions).toFixed(1).padStart(7)
  for (const { name, kind, bytes, rows: tuples } of rows.filter((row) => Number(row.bytes) > total / 500))
    console.log(
      `${perTransaction(Number(bytes))} B/tx  ${kind === 'i' ? 'index' : 'table'}  ${name.padEnd(34)} ` +
        `${tuples} rows`,
    )
  const groups = new Map<string, number>()
  for (const { table, bytes } of rows)
    groups.set(groupOf(table), (groups.get(groupOf(table)) ?? 0) + Number(bytes))
  for (const [group, bytes] of groups) console.log(`${perTransaction(bytes)} B/tx  ${group}`)
  console.log(
    `${(total / transactions).toFixed(1)} bytes per transaction: ${total} bytes, ${transactions} ` +
      'transactions',
  )
}

function groupOf(table: string): string {
  if (CHAIN.includes(table)) return 'chain'
  if (TRACES.includes(table)) return 'traces'
  return TABLES_OF_PROGRESS[table] ? 'queues and progress' : 'contracts, tokens and actions'
}
