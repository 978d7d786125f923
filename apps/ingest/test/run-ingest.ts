import { tableChecksums } from '@shardwalk/db'
import { BatchDecoder } from '@shardwalk/indexing'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import type { BlockSource, SeqnoRange } from '@shardwalk/pipeline'
import { type ScratchDatabase, scratchDatabase, waitFor } from '@shardwalk/testkit'
import { type IngestOptions, startIngest } from '../src/ingest.ts'

export interface Run {
  readonly source: BlockSource
  readonly scratch: ScratchDatabase
  /** Range to be indexed at the end. */
  readonly range: SeqnoRange
  readonly options?: Partial<IngestOptions>
  /** A further condition for the end. */
  readonly until?: () => Promise<boolean>
  /** Time limit. */
  readonly timeoutMs?: number
}

/** Of all runs in this process: starting a thread takes as long as some blocks. */
let decoder: BatchDecoder | undefined

/** Indexes until the range is complete, then stops. */
export async function runIngest({
  source,
  scratch,
  range,
  options,
  until,
  timeoutMs = 120_000,
}: Run): Promise<void> {
  decoder ??= new BatchDecoder(1)
  const ingest = await startIngest({
    source,
    database: scratch,
    queueStore: { databaseUrl: scratch.url },
    start: range.from,
    order: 'oldest-first',
    decodeThreads: 1,
    decoder,
    backfillConcurrency: 2,
    log: silentLogger,
    metrics: noMetrics,
    stalledAfterMs: 2_000,
    ...options,
  })
  try {
    await untilIndexed(scratch, range, timeoutMs)
    if (until) await waitFor('what follows from it', until, { timeoutMs })
  } finally {
    await ingest.close(5_000)
  }
}

/** Waits until one range is indexed, which has at least these blocks. */
export async function untilIndexed(
  { pool }: Pick<ScratchDatabase, 'pool'>,
  range: SeqnoRange,
  timeoutMs: number,
): Promise<void> {
  let indexed: readonly SeqnoRange[] = []
  const isIndexed = async () => {
    const { rows } = await pool.query<SeqnoRange>(
      'select from_seqno as from, to_seqno as to from indexed_ranges order by 1',
    )
    indexed = rows
    return rows.length === 1 && rows[0]!.from <= range.from && rows[0]!.to >= range.to
  }
  const seen = () => `indexed: ${JSON.stringify(indexed)}`
  await waitFor('one range', isIndexed, { timeoutMs, everyMs: 100, seen })
}

/** The same chain with its head at `last`. */
export function endingAt<S extends BlockSource>(source: S, last: number): S {
  source.head = () => source.masterchainBlockId(last)
  source.waitForMasterchain = async (seqno, { timeoutMs = 1_000, signal }) => {
    if (seqno <= last) return source.masterchainBlockId(seqno)
    await new Promise<void>((resolve) => {
      setTimeout(resolve, timeoutMs)
      signal?.addEventListener('abort', () => resolve())
    })
    return undefined
  }
  return source
}

/** Checksums of all tables after indexing the range into a fresh database. */
export async function checksumsOf(run: Omit<Run, 'scratch'>) {
  const scratch = await scratchDatabase()
  try {
    await runIngest({ ...run, scratch })
    return Object.fromEntries(await tableChecksums(scratch.db))
  } finally {
    await scratch.close()
  }
}
