import { ThreadPool } from '@shardwalk/concurrency'
import type { AccountIdOverrides, EncodedBatch } from '@shardwalk/db'
import { formatBlockId, type RawBlock } from '@shardwalk/model'
import type { DecodedBatch, Decoder, RawBatch } from '@shardwalk/pipeline'
import type { DecodeRequest, DecodeResult } from './decode-thread.ts'

/** A batch with its rows as the database takes them. */
export type RowsBatch = DecodedBatch<EncodedBatch>

/** Decodes batches and encodes their rows in worker threads. */
export class BatchDecoder implements Decoder<EncodedBatch> {
  private readonly pool: ThreadPool<DecodeRequest, DecodeResult>

  /** `threads`: how many batches are decoded at the same time. */
  constructor(threads: number) {
    this.pool = new ThreadPool(new URL('./decode-thread.ts', import.meta.url), threads)
  }

  async decode(
    batch: RawBatch,
    options: { readonly urgent: boolean; readonly overrides?: AccountIdOverrides },
  ): Promise<RowsBatch> {
    const result = await this.pool.run({ batch, overrides: options.overrides }, options)
    return { ...result, mcBlockSeqno: batch.mcBlockSeqno, raw: batch }
  }

  close(): Promise<void> {
    return this.pool.close()
  }
}

/** Bytes of the blocks of a batch that could not be decoded. */
export const undecodableBlocks = ({ raw, undecodable }: RowsBatch): { block: RawBlock; error: string }[] =>
  undecodable.flatMap(({ id, error }) => {
    const block = [...raw.shards, raw.masterchain].find((candidate) => formatBlockId(candidate.id) === id)
    return block ? [{ block, error }] : []
  })
