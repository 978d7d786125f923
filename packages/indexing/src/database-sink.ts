import {
  AccountIdTaken,
  type BatchSink,
  type Db,
  type EncodedBatch,
  isDataRefused,
  listCompleteRanges,
  type NewRow,
  noAccounts,
  noTraces,
} from '@shardwalk/db'
import { type BlockId, shardToSigned } from '@shardwalk/model'
import type { SeqnoRange, Sink } from '@shardwalk/pipeline'
import {
  type BatchDecoder,
  placesOf,
  quarantined,
  type RowsBatch,
  undecodableBlocks,
} from './batch-decoder.ts'
import { isolateFailures, type LeftOut } from './isolate-failures.ts'
import { programVersion } from './program-version.ts'

type Write = (encoded: EncodedBatch[], quarantine: NewRow<'quarantine'>[]) => Promise<unknown>

/** Writes batches into PostgreSQL, and into quarantine the parts that could not be decoded or stored. */
export class DatabaseSink implements Sink<EncodedBatch> {
  private readonly overrides = new Map<string, bigint>()

  constructor(
    private readonly db: Db,
    private readonly writer: BatchSink,
    private readonly decoder: BatchDecoder,
    /**
     * Version of this program, stored with its quarantine entries. A later version may be able to read them.
     */
    private readonly version = programVersion,
  ) {}

  /** Without blocks that lack what is watched now. */
  indexedRanges(): Promise<readonly SeqnoRange[]> {
    return listCompleteRanges(this.db)
  }

  /** If the database rejects a batch, it is written without the rejected parts. */
  async commit(batches: readonly RowsBatch[]): Promise<void> {
    const write: Write = (encoded, quarantine) => this.writer.commitBatches(encoded, { quarantine })
    try {
      await this.write(batches, write)
    } catch (error) {
      if (!isDataRefused(error)) throw error
      // One by one, so that everything before the rejected batch is stored.
      for (const batch of batches) await this.write([await this.acceptable(batch, {})], write)
    }
  }

  /** Replaces the stored rows of the range, in one transaction. */
  async repair(range: SeqnoRange, batches: readonly RowsBatch[]): Promise<void> {
    const write: Write = (encoded, quarantine) => this.writer.repairRange(range, encoded, { quarantine })
    try {
      await this.write(batches, write)
    } catch (error) {
      if (!isDataRefused(error)) throw error
      const acceptable: RowsBatch[] = []
      for (const batch of batches) acceptable.push(await this.acceptable(batch, { replacing: range }))
      await this.write(acceptable, write)
    }
  }

  /** The batch without the parts that the database rejects. */
  private async acceptable(
    batch: RowsBatch,
    rehearsal: { readonly replacing?: SeqnoRange },
  ): Promise<RowsBatch> {
    const { raw } = batch
    const decode = (without: readonly LeftOut[]) =>
      this.decoder.decode(raw, { urgent: true, overrides: this.overrides, without })
    let refused = ''
    const without = await isolateFailures(placesOf(raw), async (parts) => {
      const candidate = parts.length === 0 ? batch : await decode(parts)
      const refusal = await this.writer.refusal(encodings([candidate]), rehearsal)
      refused ||= refusal ?? ''
      return refusal
    })
    if (!without) return quarantined(raw, refused)
    return without.length === 0 ? batch : decode(without)
  }

  private async write(batches: readonly RowsBatch[], write: Write): Promise<void> {
    try {
      await write(
        encodings(batches),
        batches.flatMap((batch) => quarantineRows(batch, this.version)),
      )
    } catch (error) {
      if (!(error instanceof AccountIdTaken)) throw error
      // Two addresses share 63 bits: encode the rows again with the id assigned by the database.
      for (const [address, id] of error.overrides) this.overrides.set(address, id)
      const again = batches.map((batch) =>
        this.decoder.decode(batch.raw, {
          urgent: true,
          overrides: this.overrides,
          without: leftOutOf(batch),
        }),
      )
      await this.write(await Promise.all(again), write)
    }
  }
}

const encodings = (batches: readonly RowsBatch[]): EncodedBatch[] =>
  batches.map(({ encoded, mcBlockSeqno }) => encoded ?? emptyBatch(mcBlockSeqno))

/** Parts that an earlier attempt left out of a batch. */
const leftOutOf = ({ unread }: RowsBatch): readonly LeftOut[] =>
  unread.map(({ part: { kind, account, lt, reason } }) => ({ kind, account, lt, reason }))

const blockColumns = ({ workchain, shard, seqno, rootHash, fileHash }: BlockId) => ({
  workchain,
  shard: shardToSigned(shard),
  seqno,
  root_hash: rootHash,
  file_hash: fileHash,
})

function quarantineRows(batch: RowsBatch, version: string): NewRow<'quarantine'>[] {
  const shared = { mc_seqno: batch.mcBlockSeqno, tried_with: version }
  const blocks = undecodableBlocks(batch).map(({ block: { id, bytes }, error }) => ({
    ...blockColumns(id),
    ...shared,
    kind: 'block' as const,
    hash: id.rootHash,
    account: null,
    lt: null,
    error,
    bytes,
  }))
  const parts = batch.unread.map(({ block, part: { kind, account, lt, hash, reason, boc } }) => ({
    ...blockColumns(block),
    ...shared,
    kind,
    hash,
    account: account.hash,
    lt,
    error: reason,
    bytes: boc ?? null,
  }))
  return [...blocks, ...parts, ...unknownVersion(batch, shared)]
}

const NO_GLOBAL_VERSION =
  'the key block before cannot be decoded: messages are stored without ihr_fee and extra_flags'

/** The entry of a batch that was stored without the global version in force. */
function unknownVersion(
  { raw: { masterchain, globalVersion }, encoded }: RowsBatch,
  shared: Pick<NewRow<'quarantine'>, 'mc_seqno' | 'tried_with'>,
): NewRow<'quarantine'>[] {
  if (!encoded || globalVersion !== undefined) return []
  const { id } = masterchain
  const columns = { ...blockColumns(id), ...shared, hash: id.rootHash, account: null, lt: null, bytes: null }
  return [{ ...columns, kind: 'version', error: NO_GLOBAL_VERSION }]
}

/** Stands for a masterchain block in quarantine: it has no rows but counts as indexed. */
function emptyBatch(mcBlockSeqno: number): EncodedBatch {
  const none = () => ({ rows: 0, bytes: new Uint8Array(0) })
  return {
    mcBlockSeqno,
    globalId: undefined,
    accounts: noAccounts(),
    blocks: none(),
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
