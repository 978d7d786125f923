import type { Batch, BlockId, McBlockSeqno, RawBlock, ShortBlockId, UnreadPart } from '@shardwalk/model'
import type { SeqnoRange } from './plan.ts'

/** How long a source may take. */
export interface WaitOptions {
  readonly signal?: AbortSignal
  /** Milliseconds; every wait has one. */
  readonly timeoutMs?: number
}

/** At which block the global version is asked for. */
export interface VersionOptions extends WaitOptions {
  /** A masterchain block whose last key block, itself included, is the given one. Default: the head. */
  readonly inForceAt?: BlockId | undefined
}

/** How a block is asked for. */
export interface AskOptions extends WaitOptions {
  /** Goes before everything else, and may be requested from two servers. */
  readonly urgent?: boolean
  /** Masterchain block that commits the requested block: a server that has it has both. */
  readonly mcBlockSeqno?: number
  /** The first refusal is final: no other server is asked. */
  readonly once?: boolean
}

/** Proves by signatures that a masterchain block exists, asking only this server. Rejects if it does not. */
export type ProveHead = (
  id: BlockId,
  options: { readonly server: string; readonly signal: AbortSignal },
) => Promise<unknown>

/**
 * Source of blocks. Adapters verify bytes against ids, retry and fail over; they do not decide what is
 * fetched.
 */
export interface BlockSource {
  /** Short name for logs and metrics, e.g. `liteservers`, `archive`, `recording`. */
  readonly name: string

  /** Id of the zerostate (seqno 0), which identifies the network. */
  zerostateId(): Promise<BlockId>

  /** Lets the source prove a head that one server alone reports. Absent where heads are not doubted. */
  proveHeadsWith?(prove: ProveHead): void

  /** Newest masterchain block whose shard blocks are available too. */
  head(options?: WaitOptions): Promise<BlockId>

  /**
   * Masterchain block `seqno`, or a newer one, as soon as there is one; undefined when `timeoutMs` passed
   * first.
   */
  waitForMasterchain(seqno: McBlockSeqno, options: WaitOptions): Promise<BlockId | undefined>

  /**
   * Full id of masterchain block `seqno`. Throws `BlockNotAvailable` (retry later) when the source has no
   * such block.
   */
  masterchainBlockId(seqno: McBlockSeqno, options?: AskOptions): Promise<BlockId>

  /** Full id of any block. Absent where reading blocks is no slower than looking up ids. Throws as above. */
  findBlock?(id: ShortBlockId, options?: AskOptions): Promise<BlockId>

  /** Duration of an answer in milliseconds; undefined until it is known. Absent when it is negligible. */
  roundTripMs?(): number | undefined

  /** The block's file. SHA-256 of the bytes equals `id.fileHash`: wrong bytes are never returned. */
  getBlock(id: BlockId, options?: AskOptions): Promise<Buffer>

  /**
   * Global version in force after a key block (seqno 0: the zerostate), which decides how messages are
   * decoded: from bytes or a proof that agree with the id, which must be that of a verified block. Throws
   * `DecodeError` if the key block cannot be decoded. Source: ConfigParam 8.
   */
  globalVersionAtKeyBlock(keyBlock: BlockId, options?: VersionOptions): Promise<number>

  /**
   * File of a zerostate, for accounts that exist since a workchain began; undefined if not available. SHA-256
   * of the bytes equals `id.fileHash`.
   */
  getZerostate(id: BlockId, options?: WaitOptions): Promise<Buffer | undefined>

  close(): Promise<void>
}

/** A batch as fetched: bytes proven equal to their ids, in commit order. */
export interface RawBatch extends Batch<RawBlock> {
  readonly mcBlockSeqno: McBlockSeqno
  /**
   * Global version in force (`BlockSource.globalVersionAtKeyBlock` of the block's previous key block);
   * undefined if the masterchain block or that key block cannot be decoded. What follows from it is not
   * stored then; all else is.
   */
  readonly globalVersion: number | undefined
}

/** A block that could not be decoded: its id as text, and why. */
export interface UndecodableBlock {
  readonly id: string
  readonly error: string
}

/** A transaction or state that could not be decoded or stored, with its block. */
export interface UnreadInBlock {
  readonly block: BlockId
  readonly part: UnreadPart
}

/** A batch ready to be written. */
export interface DecodedBatch<Rows = unknown> {
  readonly mcBlockSeqno: McBlockSeqno
  readonly raw: RawBatch
  /** Undefined when the masterchain block itself cannot be decoded. */
  readonly encoded: Rows | undefined
  readonly undecodable: readonly UndecodableBlock[]
  /** Missing in the rows, although their blocks are present. */
  readonly unread: readonly UnreadInBlock[]
  /** Decoded ones. */
  readonly blocks: number
  readonly transactions: number
  /**
   * Bytes that the rows take; default: not many. Messages share the cells of a body in a block, but each row
   * has all of it.
   */
  readonly size?: number
}

/** Turns blocks into rows. What cannot be decoded is listed in the result and does not affect the rest. */
export interface Decoder<Rows> {
  decode(batch: RawBatch, options: { readonly urgent: boolean }): Promise<DecodedBatch<Rows>>
}

/** Destination of rows. One call of `commit` is one database transaction. */
export interface Sink<Rows> {
  /** Masterchain blocks that `commit` would leave unchanged. */
  indexedRanges(): Promise<readonly SeqnoRange[]>
  /**
   * Writes batches with ascending seqnos and records them as indexed. Batches that are already indexed are
   * unchanged.
   */
  commit(batches: readonly DecodedBatch<Rows>[]): Promise<void>
}
