import type { BatchFetcher } from './batch-fetcher.ts'
import { missingRanges, type SeqnoRange, seqnosOf } from './plan.ts'
import type { DecodedBatch, Decoder, Sink } from './ports.ts'
import { Window } from './window.ts'

/** Ports and urgency of an indexing loop. */
export interface IndexRangeOptions<Rows> {
  readonly fetcher: BatchFetcher
  readonly decoder: Decoder<Rows>
  readonly sink: Sink<Rows>
  /** Blocks of the head go before all others and are written as soon as they are decoded. */
  readonly urgent: boolean
  readonly signal: AbortSignal
  /** Called for each block that arrives, each batch that is decoded, and after each transaction. */
  readonly onProgress?: () => void
}

/**
 * Masterchain blocks fetched and decoded ahead of writing, a multiple of the segments in which history is
 * fetched. Mainnet: 1 to 2 MB each with their shard blocks.
 */
const AHEAD = 12
/** No more is begun while the rows of decoded batches take so much; those of a usual one take a few MB. */
const AHEAD_BYTES = 256 * 2 ** 20
/**
 * A transaction ends at one of these limits: large enough to be fast, small enough to hold locks and memory
 * briefly.
 */
const MAX_COMMIT = { seqnos: 32, transactions: 8_000, bytes: 128 * 2 ** 20 } as const
/**
 * Seqnos of history that are written without waiting for more. If servers are slow, what a crash loses
 * remains small; if they are not, more is ready by the time of a transaction.
 */
const MIN_HISTORY_COMMIT = 8

/**
 * Indexes what is missing of a range: fetches and decodes ahead, writes in order. May be repeated, run
 * concurrently with other processes, and be interrupted; committed work is kept.
 */
export async function indexRange<Rows>(range: SeqnoRange, options: IndexRangeOptions<Rows>): Promise<void> {
  const { fetcher, decoder, sink, urgent, signal, onProgress } = options
  for (const missing of missingRanges(range, await sink.indexedRanges())) {
    const fetch = fetcher.range(missing, { urgent, signal }, onProgress)
    const decode = async (seqno: number) => {
      const batch = await decoder.decode(await fetch(seqno), { urgent })
      onProgress?.()
      return batch
    }
    const ahead = new Window(seqnosOf(missing), AHEAD, decode, { weigh: sizeOf, most: AHEAD_BYTES })
    const isWorthwhile = (group: readonly unknown[]) => urgent || group.length >= MIN_HISTORY_COMMIT
    while (!ahead.isDone) {
      const group = [await ahead.take()]
      while (!isFull(group) && (ahead.isReady || (!ahead.isDone && !isWorthwhile(group))))
        group.push(await ahead.take())
      signal.throwIfAborted()
      await sink.commit(group)
      onProgress?.()
    }
  }
}

const isFull = (group: readonly DecodedBatch[]): boolean =>
  group.length >= MAX_COMMIT.seqnos ||
  group.reduce((sum, batch) => sum + batch.transactions, 0) >= MAX_COMMIT.transactions ||
  group.reduce((sum, batch) => sum + sizeOf(batch), 0) >= MAX_COMMIT.bytes

const sizeOf = ({ size = 0 }: DecodedBatch): number => size
