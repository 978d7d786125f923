import {
  AccountIdTaken,
  type BatchSink,
  type Db,
  type EncodedBatch,
  findGlobalId,
  listIndexedRanges,
  type NewRow,
  noTraces,
} from '@shardwalk/db'
import { IndexerError, shardToSigned } from '@shardwalk/model'
import type { SeqnoRange, Sink } from '@shardwalk/pipeline'
import { type BatchDecoder, type RowsBatch, undecodableBlocks } from './batch-decoder.ts'

/**
 * The very first masterchain block that this database would hold cannot be decoded: there is nothing to put
 * beside it.
 */
export class NothingDecodable extends IndexerError {
  readonly code = 'nothing_decodable'
  readonly retry = 'later'
}

/** Writes batches into PostgreSQL, with the blocks that could not be decoded beside them. */
export class DatabaseSink implements Sink<EncodedBatch> {
  private readonly overrides = new Map<string, bigint>()
  private globalId: number | undefined

  constructor(
    private readonly db: Db,
    private readonly writer: BatchSink,
    private readonly decoder: BatchDecoder,
  ) {}

  indexedRanges(): Promise<readonly SeqnoRange[]> {
    return listIndexedRanges(this.db)
  }

  async commit(batches: readonly RowsBatch[]): Promise<void> {
    await this.write(batches, (encoded, quarantine) => this.writer.commitBatches(encoded, { quarantine }))
  }

  /** Deletes what is stored of the range and writes it again, in one transaction. */
  async repair(range: SeqnoRange, batches: readonly RowsBatch[]): Promise<void> {
    await this.write(batches, (encoded, quarantine) =>
      this.writer.repairRange(range, encoded, { quarantine }),
    )
  }

  private async write(
    batches: readonly RowsBatch[],
    write: (encoded: EncodedBatch[], quarantine: NewRow<'quarantine'>[]) => Promise<unknown>,
  ): Promise<void> {
    const encoded = await this.encodings(batches)
    try {
      await write(encoded, batches.flatMap(quarantineRows))
    } catch (error) {
      if (!(error instanceof AccountIdTaken)) throw error
      // Two addresses share 63 bits: the rows are made again with the id that the database chose.
      for (const [address, id] of error.overrides) this.overrides.set(address, id)
      const again = batches.map((batch) =>
        this.decoder.decode(batch.raw, { urgent: true, overrides: this.overrides }),
      )
      await this.write(await Promise.all(again), write)
    }
  }

  private async encodings(batches: readonly RowsBatch[]): Promise<EncodedBatch[]> {
    const result: EncodedBatch[] = []
    for (const { encoded, mcBlockSeqno } of batches) {
      if (encoded) this.globalId = encoded.globalId
      result.push(encoded ?? emptyBatch(mcBlockSeqno, await this.knownGlobalId()))
    }
    return result
  }

  private async knownGlobalId(): Promise<number> {
    if (this.globalId !== undefined) return this.globalId
    const globalId = await findGlobalId(this.db)
    if (globalId === undefined) throw new NothingDecodable('the first block to index cannot be decoded')
    return globalId
  }
}

function quarantineRows(batch: RowsBatch): NewRow<'quarantine'>[] {
  return undecodableBlocks(batch).map(({ block: { id, bytes }, error }) => ({
    workchain: id.workchain,
    shard: shardToSigned(id.shard),
    seqno: id.seqno,
    root_hash: id.rootHash,
    file_hash: id.fileHash,
    mc_seqno: batch.mcBlockSeqno,
    error,
    bytes,
  }))
}

/** Stands for a masterchain block that is in quarantine: no rows, but indexed. */
function emptyBatch(mcBlockSeqno: number, globalId: number): EncodedBatch {
  const none = () => ({ rows: 0, bytes: new Uint8Array(0) })
  return {
    mcBlockSeqno,
    globalId,
    accounts: { ids: new BigInt64Array(0), workchains: new Int32Array(0), hashes: new Uint8Array(0) },
    blocks: none(),
    shardState: none(),
    transactions: none(),
    messages: none(),
    messagesSent: none(),
    messagesReceived: { ...none(), starts: new Uint32Array(0) },
    latestStates: none(),
    accountData: none(),
    codes: none(),
    stateParts: none(),
    hiddenCurrencies: none(),
    traces: noTraces(),
    oldLts: [],
  }
}
