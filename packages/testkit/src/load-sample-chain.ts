import { BatchSink, encodeBatch } from '@shardwalk/db'
import { sql } from 'kysely'
import { fixtureChain } from './fixture-chain.ts'
import type { ScratchDatabase } from './scratch-database.ts'

/** Indexes the sample like ingest, then runs VACUUM ANALYZE. */
export async function loadSampleChain(scratch: Pick<ScratchDatabase, 'pool' | 'db'>): Promise<void> {
  const sink = new BatchSink(scratch.pool)
  let batches = []
  for await (const { batch, globalVersion } of fixtureChain()) {
    batches.push(encodeBatch(batch, { globalVersion }))
    if (batches.length < 50) continue
    await sink.commitBatches(batches)
    batches = []
  }
  await sink.commitBatches(batches)
  await sql`vacuum analyze`.execute(scratch.db)
}
