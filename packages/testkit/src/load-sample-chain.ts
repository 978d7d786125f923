import { BatchSink, type DatabaseHandle, encodeBatch } from '@shardwalk/db'
import { sql } from 'kysely'
import { fixtureChain } from './fixture-chain.ts'
import { type ScratchDatabase, type ScratchOptions, scratchDatabase } from './scratch-database.ts'
import { MIGRATED, type Template } from './template.ts'

/** Indexes the sample like ingest, then runs VACUUM ANALYZE. */
export async function loadSampleChain({ pool, db }: Pick<DatabaseHandle, 'pool' | 'db'>): Promise<void> {
  const sink = new BatchSink(pool)
  let batches = []
  for await (const { batch, globalVersion } of fixtureChain()) {
    batches.push(encodeBatch(batch, { globalVersion }))
    if (batches.length < 50) continue
    await sink.commitBatches(batches)
    batches = []
  }
  await sink.commitBatches(batches)
  await sql`vacuum analyze`.execute(db)
}

/** The whole sample, indexed: no contract is examined and no trace classified yet. */
export const SAMPLE_CHAIN: Template = { name: 'sample', base: MIGRATED, build: loadSampleChain }

export const sampleChainDatabase = (options: Pick<ScratchOptions, 'max'> = {}): Promise<ScratchDatabase> =>
  scratchDatabase({ ...options, template: SAMPLE_CHAIN })
