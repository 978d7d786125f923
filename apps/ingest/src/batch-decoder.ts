import type { AccountIdOverrides, EncodedBatch } from '@shardwalk/db'
import { formatBlockId, type RawBlock } from '@shardwalk/model'
import type { RawBatch } from '@shardwalk/pipeline'
import type { DecodeRequest } from './decode-thread.ts'
import { ThreadPool } from './thread-pool.ts'

/** A block that could not be decoded: text form of its id, and why. */
export interface Undecodable {
  readonly id: string
  readonly error: string
}

/** What a worker thread makes of a batch. */
export interface DecodeResult {
  /** Absent when the masterchain block itself cannot be decoded. */
  readonly encoded: EncodedBatch | undefined
  readonly undecodable: readonly Undecodable[]
  readonly transactions: number
  readonly blocks: number
}

/** One batch ready for the database. */
export interface DecodedBatch extends DecodeResult {
  readonly mcBlockSeqno: number
  readonly raw: RawBatch
}

/** Decodes batches and encodes their rows in worker threads. */
export class BatchDecoder {
  private readonly pool: ThreadPool<DecodeRequest, DecodeResult>

  /** `parallelism`: how many batches are decoded at the same time. */
  constructor(readonly parallelism: number) {
    this.pool = new ThreadPool(new URL('./decode-thread.ts', import.meta.url), parallelism)
  }

  async decode(
    batch: RawBatch,
    options: { readonly urgent: boolean; readonly overrides?: AccountIdOverrides },
  ): Promise<DecodedBatch> {
    const result = await this.pool.run({ batch, overrides: options.overrides }, options)
    return { ...result, mcBlockSeqno: batch.mcBlockSeqno, raw: batch }
  }

  close(): Promise<void> {
    return this.pool.close()
  }
}

/** Bytes of the blocks of a batch that could not be decoded. */
export const undecodableBlocks = ({ raw, undecodable }: DecodedBatch): { block: RawBlock; error: string }[] =>
  undecodable.flatMap(({ id, error }) => {
    const block = [...raw.shards, raw.masterchain].find((candidate) => formatBlockId(candidate.id) === id)
    return block ? [{ block, error }] : []
  })
