import { BatchSink, claimNetwork, type DatabaseHandle, deleteConflicts, forgetLinks } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type { BlockSource, SeqnoRange } from '@shardwalk/pipeline'
import { BatchDecoder, type DecodedBatch } from './batch-decoder.ts'
import { DatabaseSink } from './database-sink.ts'
import { fetchRange } from './fetch-range.ts'
import { Frontiers } from './frontiers.ts'

export interface TaskOptions {
  readonly source: BlockSource
  readonly database: DatabaseHandle
  readonly log: Logger
  readonly signal: AbortSignal
  readonly decodeThreads: number
}

/** Seqnos that are replaced in one transaction. */
const STEP = 32

/** Deletes what is stored of a range and writes it again, so many seqnos at a time. Readers see the old rows or the new ones, never none. */
export async function repair(range: SeqnoRange, options: TaskOptions): Promise<void> {
  const { source, database, log, signal } = options
  await claimNetwork(database.db, await source.zerostateId())
  const decoder = new BatchDecoder(options.decodeThreads)
  const sink = new DatabaseSink(database.db, new BatchSink(database.pool), decoder)
  const fetching = { source, signal, frontiers: new Frontiers(), urgent: false, ahead: 8 }
  try {
    for (let from = range.from; from <= range.to; from += STEP) {
      const step = { from, to: Math.min(range.to, from + STEP - 1) }
      const decoding: Promise<DecodedBatch>[] = []
      for await (const batch of fetchRange(step, fetching))
        decoding.push(decoder.decode(batch, { urgent: false }))
      await forgetLinks(database.db, step)
      await sink.repair(step, await Promise.all(decoding))
      // Again: a running ingest may have compared the old blocks in between.
      await forgetLinks(database.db, step)
      await deleteConflicts(database.db, step)
      log.info('range repaired', step)
    }
  } finally {
    await decoder.close()
  }
}
