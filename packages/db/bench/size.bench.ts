// Measures bytes on disk per transaction, table and index as ingest leaves them, without rewriting or
// vacuuming.
//   node --import tsx packages/db/bench/size.bench.ts [copies, default 1]
// More copies repeat the recording with other accounts and hashes, so that fixed costs become negligible and
// index trees reach a realistic shape.

import { BatchSink, encodeBatch } from '@shardwalk/db'
import type { Batch } from '@shardwalk/model'
import { fixtureChain, scratchDatabase } from '@shardwalk/testkit'
import { copyOfBatch } from './scaled-chain.ts'

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
} finally {
  await scratch.close()
}

async function report(): Promise<void> {
  const counts = await scratch.pool.query<{ n: bigint }>('select count(*) as n from transactions')
  const transactions = Number(counts.rows[0]!.n)
  const { rows } = await scratch.pool.query<{ name: string; kind: 'r' | 'i'; bytes: bigint; rows: number }>(`
    select regexp_replace(c.relname, '_lt_\\d+', '') as name, c.relkind as kind,
      sum(c.reltuples)::float8 as rows,
      sum(pg_relation_size(c.oid) + case when c.relkind = 'r'
        then coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0) else 0 end)::bigint as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'i') group by 1, 2 order by 4 desc`)
  const total = rows.reduce((sum, { bytes }) => sum + Number(bytes), 0)
  for (const { name, kind, bytes, rows: tuples } of rows.filter((row) => Number(row.bytes) > total / 500))
    console.log(
      `${(Number(bytes) / transactions).toFixed(1).padStart(7)} B/tx  ${kind === 'i' ? 'index' : 'table'}  ` +
        `${name.padEnd(34)} ${tuples} rows`,
    )
  console.log(
    `${(total / transactions).toFixed(1)} bytes per transaction: ${total} bytes, ${transactions} ` +
      'transactions',
  )
}
