// Bytes on disk for the recorded chain, per table and index: node --import tsx packages/db/bench/size.bench.ts
import { BatchSink, type EncodedBatch, encodeBatch } from '@shardwalk/db'
import { fixtureChain, scratchDatabase } from '@shardwalk/testkit'

const batches: EncodedBatch[] = []
for await (const { batch, globalVersion } of fixtureChain()) batches.push(encodeBatch(batch, { globalVersion }))

const scratch = await scratchDatabase()
try {
  const sink = new BatchSink(scratch.pool)
  for (const batch of batches) await sink.commitBatches([batch])
  await scratch.pool.query('vacuum analyze')
  const { rows: counts } = await scratch.pool.query<{ n: bigint }>('select count(*) as n from transactions')
  const transactions = Number(counts[0]!.n)
  const { rows } = await scratch.pool.query<{ name: string; kind: string; bytes: bigint; rows: number }>(`
    select regexp_replace(c.relname, '_lt_\\d+', '') as name, c.relkind as kind, sum(pg_relation_size(c.oid) + case when c.relkind = 'r' then
      coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0) else 0 end)::bigint as bytes, sum(c.reltuples)::float8 as rows
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'i') group by 1, 2 order by 3 desc`)
  let total = 0
  for (const { name, kind, bytes, rows: tuples } of rows) {
    total += Number(bytes)
    const each = (Number(bytes) / transactions).toFixed(1).padStart(8)
    console.log(`${each} B/tx  ${String(bytes).padStart(10)} B  ${kind} ${name} (${tuples})`)
  }
  console.log(`${(total / transactions).toFixed(1)} bytes per transaction, ${transactions} transactions`)
} finally {
  await scratch.close()
}
