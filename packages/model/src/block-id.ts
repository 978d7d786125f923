import { FULL_SHARD, formatShard, MASTERCHAIN, type ShardId } from './shard-id.ts'

/** Block id without hashes. TL `tonNode.blockId`. */
export interface ShortBlockId {
  readonly workchain: number
  readonly shard: ShardId
  readonly seqno: number
}

/** Full block id. `rootHash`: hash of the root cell, `fileHash`: SHA-256 of the file, 32 bytes each. TL `tonNode.blockIdExt`. */
export interface BlockId extends ShortBlockId {
  readonly rootHash: Buffer
  readonly fileHash: Buffer
}

/** Masterchain blocks that a contract sees as of one of them. Source: node, mc-config.cpp `ConfigInfo::get_prev_blocks_info`. */
export interface PreviousBlocks {
  /** Newest first: the block itself and the 15 before it, as far as there are so many. */
  readonly last: readonly BlockId[]
  /** The newest key block: the block itself when it is one. */
  readonly key: BlockId
  /** Newest first: the last 16 with a seqno that is a multiple of 100, the block itself included. Undefined before global version 9. */
  readonly hundreds?: readonly BlockId[]
}

export const masterchainId = (seqno: number): ShortBlockId => ({
  workchain: MASTERCHAIN,
  shard: FULL_SHARD,
  seqno,
})

/** The node's text form: `(wc,shard,seqno):ROOT:FILE`, hashes in upper-case hex. */
export function formatBlockId(id: BlockId): string {
  const hex = (hash: Buffer) => hash.toString('hex').toUpperCase()
  return `${formatShortId(id)}:${hex(id.rootHash)}:${hex(id.fileHash)}`
}

export const formatShortId = (id: ShortBlockId): string =>
  `(${id.workchain},${formatShard(id.shard)},${id.seqno})`

/** Parses the node's text form; undefined when it is not one. Both `wc,shard` and old `wc:shard` separators are read. */
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

export function sameBlock(a: BlockId, b: BlockId): boolean {
  return (
    a.workchain === b.workchain &&
    a.shard === b.shard &&
    a.seqno === b.seqno &&
    a.rootHash.equals(b.rootHash) &&
    a.fileHash.equals(b.fileHash)
  )
}

/** Map key; unique because a root hash names one tree. */
export const blockKey = (id: BlockId): string => id.rootHash.toString('latin1')
