import { listTransactions, openBlock, type TransactionPlace } from '@shardwalk/blocks'
import { ThreadDied, ThreadPool } from '@shardwalk/concurrency'
import type { AccountIdOverrides, EncodedBatch } from '@shardwalk/db'
import { formatBlockId, type RawBlock } from '@shardwalk/model'
import type { DecodedBatch, Decoder, RawBatch } from '@shardwalk/pipeline'
import type { DecodeRequest, DecodeResult } from './decode-thread.ts'
import { isolateFailures, type LeftOut } from './isolate-failures.ts'
import { restoredUnread } from './posted.ts'

/** A batch with its rows encoded for the database. */
export type RowsBatch = DecodedBatch<EncodedBatch>

export interface DecodeBatchOptions {
  readonly urgent: boolean
  readonly overrides?: AccountIdOverrides
  /** Parts to be put into quarantine without being decoded. */
  readonly without?: readonly LeftOut[]
}

/** The largest batches of mainnet take two seconds. */
const DEADLINE_MS = 60_000

/** Decodes batches and encodes their rows in worker threads. */
export class BatchDecoder implements Decoder<EncodedBatch> {
  private readonly pool: Pick<ThreadPool<DecodeRequest, DecodeResult>, 'run' | 'close'>
  private isClosed = false

  /** `threads`: number of batches decoded concurrently. */
  constructor(threads: number, pool?: Pick<ThreadPool<DecodeRequest, DecodeResult>, 'run' | 'close'>) {
    const script = new URL('./decode-thread.ts', import.meta.url)
    this.pool = pool ?? new ThreadPool(script, threads, { deadlineMs: DEADLINE_MS })
  }

  /** A batch that kills threads is decoded without the parts that kill them. */
  async decode(batch: RawBatch, options: DecodeBatchOptions): Promise<RowsBatch> {
    try {
      return await this.attempt(batch, options)
    } catch (error) {
      if (this.isClosed || !(error instanceof ThreadDied)) throw error
    }
    const without = await isolateFailures(placesOf(batch), (parts) => this.deathOf(batch, options, parts))
    if (without) return this.attempt(batch, { ...options, without: [...(options.without ?? []), ...without] })
    return quarantined(batch, 'threads that decode it die')
  }

  close(): Promise<void> {
    this.isClosed = true
    return this.pool.close()
  }

  /**
   * Why threads die on the batch without these parts. Tried twice, because a thread may have died by itself.
   */
  private async deathOf(
    batch: RawBatch,
    options: DecodeBatchOptions,
    parts: readonly LeftOut[],
  ): Promise<string | undefined> {
    const without = [...(options.without ?? []), ...parts]
    for (let attempt = 1; ; attempt++)
      try {
        await this.attempt(batch, { ...options, without })
        return undefined
      } catch (error) {
        if (this.isClosed || !(error instanceof ThreadDied)) throw error
        if (attempt === 2) return error.message
      }
  }

  private async attempt(batch: RawBatch, options: DecodeBatchOptions): Promise<RowsBatch> {
    const { overrides, without } = options
    const result = await this.pool.run({ batch, overrides, without }, options)
    return {
      ...result,
      unread: result.unread.map(restoredUnread),
      mcBlockSeqno: batch.mcBlockSeqno,
      raw: batch,
    }
  }
}

const rawBlocks = ({ shards, masterchain }: RawBatch): readonly RawBlock[] => [...shards, masterchain]

/** Transactions of the blocks that can be opened. */
export const placesOf = (batch: RawBatch): readonly TransactionPlace[] =>
  rawBlocks(batch).flatMap((raw) => {
    try {
      return listTransactions(openBlock(raw))
    } catch {
      return []
    }
  })

/** A batch that is stored only as the bytes of its blocks. */
export const quarantined = (batch: RawBatch, error: string): RowsBatch => ({
  mcBlockSeqno: batch.mcBlockSeqno,
  raw: batch,
  encoded: undefined,
  unread: [],
  blocks: 0,
  transactions: 0,
  size: 0,
  undecodable: rawBlocks(batch).map(({ id }) => ({ id: formatBlockId(id), error })),
})

/** Bytes of the blocks of a batch that could not be decoded. */
export const undecodableBlocks = ({ raw, undecodable }: RowsBatch): { block: RawBlock; error: string }[] =>
  undecodable.flatMap(({ id, error }) => {
    const block = rawBlocks(raw).find((candidate) => formatBlockId(candidate.id) === id)
    return block ? [{ block, error }] : []
  })
