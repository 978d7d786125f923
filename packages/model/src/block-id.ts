import type { McBlockSeqno, Workchain } from './flavour.ts'
import { FULL_SHARD, formatShard, MASTERCHAIN, type ShardId } from './shard-id.ts'

/** Block id without hashes. Source: ton_api.tl `tonNode.blockId`. */
export interface ShortBlockId {
  readonly workchain: Workchain
  readonly shard: ShardId
  readonly seqno: number
}

/**
 * Block id with the root cell's hash and the file's SHA-256, 32 bytes each. Source: ton_api.tl
 * `tonNode.blockIdExt`.
 */
export interface BlockId extends ShortBlockId {
  readonly rootHash: Buffer
  readonly fileHash: Buffer
}

/**
 * Masterchain blocks visible to a contract. Source: node, mc-config.cpp `ConfigInfo::get_prev_blocks_info`.
 */
export interface PreviousBlocks {
  /** The block itself and up to 15 before it, newest first. */
  readonly last: readonly BlockId[]
  /** The latest key block, which may be the block itself. */
  readonly key: BlockId
  /** Up to 16 blocks whose seqno is a multiple of 100, newest first. Undefined before global version 9. */
  readonly hundreds?: readonly BlockId[]
}

/** The short id of a masterchain block. */
export const masterchainId = (seqno: McBlockSeqno): ShortBlockId => ({
  workchain: MASTERCHAIN,
  shard: FULL_SHARD,
  seqno,
})

/** The node's text form: `(wc,shard,seqno):ROOT:FILE` with hashes in upper-case hex. */
export function formatBlockId(id: BlockId): string {
  const hex = (hash: Buffer) => hash.toString('hex').toUpperCase()
  return `${formatShortId(id)}:${hex(id.rootHash)}:${hex(id.fileHash)}`
}

/** Text form `(wc,shard,seqno)`, the shard as 16 lower-case hex digits. */
export const formatShortId = (id: ShortBlockId): string =>
  `(${id.workchain},${formatShard(id.shard)},${id.seqno})`

/** Parses the node's text form with `wc,shard` or the old `wc:shard`; undefined if it does not match. */
export function parseBlockId(text: string): BlockId | undefined {
  const match = /^\((-?\d+)[,:]([0-9a-fA-F]{16})[,:](\d+)\):([0-9a-fA-F]{64}):([0-9a-fA-F]{64})$/.exec(text)
  if (!match) return undefined
  const [, workchain, shard, seqno, root, file] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  return {
    workchain: Number(workchain),
    shard: BigInt(`0x${shard}`),
    seqno: Number(seqno),
    rootHash: Buffer.from(root, 'hex'),
    fileHash: Buffer.from(file, 'hex'),
  }
}

/** Whether two ids are equal in all members, hashes included. */
export function sameBlock(a: BlockId, b: BlockId): boolean {
  return (
    a.workchain === b.workchain &&
    a.shard === b.shard &&
    a.seqno === b.seqno &&
    a.rootHash.equals(b.rootHash) &&
    a.fileHash.equals(b.fileHash)
  )
}

/** Map key of a block: its root hash, one character per byte. */
export const blockKey = (id: BlockId): string => id.rootHash.toString('latin1')
