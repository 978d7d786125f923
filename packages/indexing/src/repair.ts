import {
  assertRetained,
  BatchSink,
  claimNetwork,
  countQuarantine,
  type DatabaseHandle,
  type Db,
  deleteConflicts,
  forgetLinks,
  isDatabaseAway,
  listIndexedRanges,
  listQuarantined,
  listUndecodableMasterchain,
} from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import { BatchFetcher, type BlockSource, type SeqnoRange, seqnosOf } from '@shardwalk/pipeline'
import { BatchDecoder } from './batch-decoder.ts'
import { DatabaseSink } from './database-sink.ts'

export interface TaskOptions {
  readonly source: BlockSource
  readonly database: DatabaseHandle
  readonly log: Logger
  readonly signal: AbortSignal
  readonly decodeThreads: number
  /** Instead of one of its own with `decodeThreads`; it is not closed. */
  readonly decoder?: BatchDecoder
  /** See `SinkOptions`. */
  readonly partitionWidth?: bigint
}

/** Number of seqnos replaced per transaction. */
const STEP = 32

/** Indexes a range again in steps. Readers see either the old rows or the new ones. Throws `NotRetained`. */
export const repair = (range: SeqnoRange, options: TaskOptions): Promise<void> =>
  repairAll(async () => [range], options)

/**
 * Indexes every masterchain block with entries in quarantine again. `version`: skip those that this version
 * has tried. A range that fails does not keep others from being repaired; the first error is thrown at the
 * end.
 */
export const repairQuarantined = (
  options: TaskOptions,
  { version }: { readonly version?: string } = {},
): Promise<void> =>
  repairAll(
    () => listQuarantined(options.database.db, { ...(version !== undefined && { version }) }),
    options,
  )

async function repairAll(
  listRanges: () => Promise<readonly SeqnoRange[]>,
  options: TaskOptions,
): Promise<void> {
  const { source, database, log, signal } = options
  await claimNetwork(database.db, await source.zerostateId())
  const ranges = await listRanges()
  if (ranges.length === 0) return
  const decoder = options.decoder ?? new BatchDecoder(options.decodeThreads)
  const failures: unknown[] = []
  try {
    for (const range of ranges)
      await repairRange(range, decoder, options).catch((error: unknown) => {
        if (signal.aborted || isDatabaseAway(error)) throw error
        log.warn('range could not be repaired', { ...range, error })
        failures.push(error)
      })
  } finally {
    if (decoder !== options.decoder) await decoder.close()
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * The range with the masterchain blocks that must be indexed again together with it. Shard blocks of one that
 * could not be decoded are stored with the next one that could; they go back where they belong when both are
 * indexed again.
 */
async function withDependents(db: Db, range: SeqnoRange): Promise<SeqnoRange> {
  const indexed = await listIndexedRanges(db)
  const isIndexed = (seqno: number) => indexed.some(({ from, to }) => from <= seqno && seqno <= to)
  let { from, to } = range
  for (const run of await listUndecodableMasterchain(db)) {
    if (run.to + 1 < range.from || run.from > range.to) continue
    from = Math.min(from, run.from)
    to = Math.max(to, isIndexed(run.to + 1) ? run.to + 1 : run.to)
  }
  return { from, to }
}

/** Backwards: a block that stores the shard blocks of others gives them up before they are written. */
function* stepsOf({ from, to }: SeqnoRange): Generator<SeqnoRange> {
  for (let last = to; last >= from; last -= STEP) yield { from: Math.max(from, last - STEP + 1), to: last }
}

async function repairRange(
  wanted: SeqnoRange,
  decoder: BatchDecoder,
  { source, database, log, signal, partitionWidth }: TaskOptions,
): Promise<void> {
  await assertRetained(database.db, wanted)
  const range = await withDependents(database.db, wanted)
  if (range.from < wanted.from || range.to > wanted.to)
    log.info('masterchain blocks in quarantine are repaired with those around them', { wanted, ...range })
  const fetcher = new BatchFetcher(source)
  const writer = new BatchSink(database.pool, { ...(partitionWidth && { partitionWidth }) })
  const sink = new DatabaseSink(database.db, writer, decoder)
  for (const step of stepsOf(range)) {
    signal.throwIfAborted()
    const fetch = fetcher.range(step, { urgent: false, signal })
    const decoding = seqnosOf(step).map(async (seqno) =>
      decoder.decode(await fetch(seqno), { urgent: false }),
    )
    const batches = await Promise.all(decoding)
    await forgetLinks(database.db, step)
    await sink.repair(step, batches)
    // Repeated, because a running ingest may have compared the old blocks in the meantime.
    await forgetLinks(database.db, step)
    await deleteConflicts(database.db, step)
    log.info('range repaired', { ...step, ...(await countQuarantine(database.db, step)) })
  }
}
