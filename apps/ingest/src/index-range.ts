import type { Logger } from '@shardwalk/observability'
import { type BlockSource, missingRanges, type RawBatch, type SeqnoRange } from '@shardwalk/pipeline'
import type { BatchDecoder, DecodedBatch } from './batch-decoder.ts'
import { fetchRange } from './fetch-range.ts'
import type { Frontiers } from './frontiers.ts'

/** Where batches are written. One call is one database transaction. */
export interface BatchSink {
  indexedRanges(): Promise<readonly SeqnoRange[]>
  /** Writes batches with ascending seqnos, and that they are indexed. What is indexed already is left as it is. */
  commit(batches: readonly DecodedBatch[]): Promise<void>
}

export interface IndexRangeOptions {
  readonly source: BlockSource
  readonly frontiers: Frontiers
  readonly decoder: BatchDecoder
  readonly sink: BatchSink
  readonly log: Logger
  readonly urgent: boolean
  readonly signal: AbortSignal
  readonly onCommit: (batches: readonly DecodedBatch[], durationMs: number) => void
}

/** Masterchain blocks that one job fetches ahead. Mainnet: about 1 to 2 MB each with their shard blocks. */
const AHEAD = 8
/** A transaction ends when one of these is reached: large enough to be fast, small enough not to hold locks and memory for long. */
const MAX_COMMIT_SEQNOS = 32
const MAX_COMMIT_TRANSACTIONS = 8_000

/** Indexes what is missing of a range. May run twice, at the same time as another process, and end half-way: what is committed stays. */
export async function indexRange(range: SeqnoRange, options: IndexRangeOptions): Promise<void> {
  for (const missing of missingRanges(range, await options.sink.indexedRanges()))
    await commitAll(decodeAll(fetchRange(missing, { ...options, ahead: AHEAD }), options), options)
}

/** Decodes in worker threads, several batches at a time, and hands them on in order. */
async function* decodeAll(
  fetched: AsyncIterable<RawBatch>,
  { decoder, urgent, log }: IndexRangeOptions,
): AsyncGenerator<DecodedBatch> {
  const decoding: Promise<DecodedBatch>[] = []
  for await (const batch of fetched) {
    const decoded = decoder.decode(batch, { urgent })
    decoded.then(
      (done) => reportQuarantine(done, log),
      () => {},
    )
    decoding.push(decoded)
    if (urgent || decoding.length > decoder.parallelism) yield await decoding.shift()!
  }
  for (const decoded of decoding) yield await decoded
}

function reportQuarantine(batch: DecodedBatch, log: Logger): void {
  for (const { id, error } of batch.undecodable)
    log.error('block put into quarantine', { mc_block_seqno: batch.mcBlockSeqno, block: id, reason: error })
}

async function commitAll(decoded: AsyncIterable<DecodedBatch>, options: IndexRangeOptions): Promise<void> {
  let group: DecodedBatch[] = []
  let transactions = 0
  const flush = async () => {
    if (group.length === 0) return
    options.signal.throwIfAborted()
    const startedAt = performance.now()
    await options.sink.commit(group)
    options.onCommit(group, performance.now() - startedAt)
    group = []
    transactions = 0
  }
  for await (const batch of decoded) {
    group.push(batch)
    transactions += batch.transactions
    if (options.urgent || group.length >= MAX_COMMIT_SEQNOS || transactions >= MAX_COMMIT_TRANSACTIONS)
      await flush()
  }
  await flush()
}
