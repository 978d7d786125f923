import { BatchSink, claimNetwork, type DatabaseHandle, encodeBatch } from '@shardwalk/db'
import { Recording } from '@shardwalk/sources'
import { sql } from 'kysely'
import { FIXTURE_CHAIN_FOLDER, fixtureChain } from './fixture-chain.ts'
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

/** The row of the network that ingest writes when it begins. */
export async function claimSampleNetwork({ db }: Pick<DatabaseHandle, 'db'>): Promise<void> {
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  const { zerostate, globalId } = recording.network
  await recording.close()
  await claimNetwork(db, zerostate)
  await db.updateTable('network').set({ global_id: globalId }).execute()
}

/** The whole sample, indexed: no contract is examined and no trace classified yet. */
export const SAMPLE_CHAIN: Template = { name: 'sample', base: MIGRATED, build: loadSampleChain }

export const sampleChainDatabase = (options: Pick<ScratchOptions, 'max'> = {}): Promise<ScratchDatabase> =>
  scratchDatabase({ ...options, template: SAMPLE_CHAIN })
