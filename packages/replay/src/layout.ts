import { type Cell, lookup, type Slice } from '@shardwalk/cells'
import { DecodeError, type ShardId, shardPrefixLength } from '@shardwalk/model'
import { SHARD_STATE_TAG } from '@shardwalk/tlb'
import type { BlockTree } from './block-trees.ts'
import { ProofReader } from './proof-reader.ts'

// These readers open exactly the cells that the node opens for the same answer, because a proof contains what
// was read. Source of layouts: block.tlb; of the order of reading: node, validator/impl/liteserver.cpp and
// crypto/block/block.cpp.

/** Opens block root and header; previous blocks and master reference are part of every header proof. */
export function readHeader(reader: ProofReader, tree: BlockTree): void {
  reader.visit(tree.root)
  reader.visitTree(tree.info)
}

/** Proof that the block leads to its state: header, and the Merkle update cell with both state hashes. */
export function stateRootProof(tree: BlockTree): Cell {
  const reader = new ProofReader(tree.root)
  readHeader(reader, tree)
  reader.visit(tree.stateUpdate)
  return reader.proof()
}

/** `^McBlockExtra` with some of its fields. */
export interface McExtra {
  readonly cell: Cell
  readonly shardHashes: Cell | undefined
  readonly config: Cell | undefined
}

/** Opens `BlockExtra` and `McBlockExtra`, but neither shard hashes nor configuration. */
export function readMcExtra(reader: ProofReader, tree: BlockTree): McExtra {
  reader.visit(tree.root)
  const extra = reader.open(tree.extra)
  extra.skip(32).skipRefs(3).skip(512)
  if (!extra.loadBit()) throw new DecodeError('block_extra.custom', 'is missing: not a masterchain block')
  const cell = extra.loadRefCell()
  const mc = reader.open(cell)
  mc.skip(16)
  const isKeyBlock = mc.loadBit()
  const shardHashes = mc.loadMaybeRefCell()
  // The inline cell after shard_fees: previous signatures, recover and mint messages.
  reader.visit(cell.refs[isKeyBlock ? cell.refs.length - 2 : cell.refs.length - 1]!)
  return { cell, shardHashes, config: isKeyBlock ? cell.refs.at(-1) : undefined }
}

/** `ShardStateUnsplit` without opening the queue, the accounts and `custom`. */
export interface StateParts {
  readonly queue: Cell
  readonly accounts: Cell
  /** The inline cell with balances, libraries and master reference. */
  readonly rest: Cell
  readonly custom: Cell | undefined
}

/**
 * Opens a shard state for a proof, without the parts. Throws `DecodeError`. Source: block.tlb
 * `shard_state#9023afe2`.
 */
export function readState(reader: ProofReader): StateParts {
  const state = reader.open()
  if (state.loadUint(32) !== SHARD_STATE_TAG) throw new DecodeError('shard_state', 'has no tag 9023afe2')
  const [queue, accounts, rest, custom] = reader.root.refs as [Cell, Cell, Cell, Cell | undefined]
  reader.visit(rest)
  return { queue, accounts, rest, custom }
}

/** `McStateExtra` and its inline cell, without opening shard hashes, configuration and previous blocks. */
export interface McStateParts {
  readonly shardHashes: Cell | undefined
  readonly config: Cell
  /** Flags, validator info, previous blocks, block statistics. */
  readonly info: Cell
}

/**
 * Opens a masterchain state for a proof, down to its inline cell. Throws `DecodeError` for that of a shard.
 * Source: block.tlb `masterchain_state_extra#cc26`.
 */
export function readMcState(reader: ProofReader): McStateParts {
  const { custom } = readState(reader)
  if (!custom) throw new DecodeError('shard_state.custom', 'is missing: not a masterchain state')
  const extra = reader.open(custom)
  if (extra.loadUint(16) !== 0xcc26) throw new DecodeError('mc_state_extra', 'has no tag cc26')
  const shardHashes = extra.loadMaybeRefCell()
  extra.skip(256)
  const config = extra.loadRefCell()
  const info = extra.loadRefCell()
  reader.visit(info)
  return { shardHashes, config, info }
}

const HAS_CREATE_STATS = 1

/** Parts of the inline cell of `McStateExtra`. */
export interface McStateInfo {
  /** Root of `OldMcBlocksInfo`; undefined in the zerostate. */
  readonly prevBlocks: Cell | undefined
  /** Root of the counters in `BlockCreateStats`; undefined if the state has none. */
  readonly createStats: Cell | undefined
}

/**
 * Source: block.tlb, `^[ flags:(## 16) validator_info prev_blocks after_key_block last_key_block
 * block_create_stats:(flags . 0)?BlockCreateStats ]`.
 */
export function readMcStateInfo(reader: ProofReader, info: Cell): McStateInfo {
  const slice = reader.open(info)
  const flags = slice.loadUint(16)
  slice.skip(65)
  const prevBlocks = slice.loadMaybeRefCell()
  // Skips the extra of the augmented dictionary (key 1 bit, max_end_lt 64 bits) and after_key_block.
  slice.skip(65).skip(1)
  if (slice.loadBit()) slice.skip(64 + 32 + 512)
  return { prevBlocks, createStats: flags & HAS_CREATE_STATS ? loadCreateStats(slice) : undefined }
}

/** Source: block.tlb `block_create_stats#17 counters:(HashmapE 256 CreatorStats)`. */
function loadCreateStats(slice: Slice): Cell | undefined {
  return slice.loadUint(8) === 0x17 ? slice.loadMaybeRefCell() : undefined
}

/** Leaf of `ShardHashes` that covers `shard`; with `exact` only if it is that shard. */
export function findShardLeaf(
  reader: ProofReader,
  shardHashes: Cell | undefined,
  wanted: { workchain: number; shard: ShardId; exact: boolean },
): { readonly leaf: Cell; readonly shard: ShardId } | undefined {
  // Keys are the 32 bits of the workchain, which are sorted and looked up as unsigned.
  const tree = shardHashes && lookup(reader.open(shardHashes), 32, wanted.workchain >>> 0)
  let cell = tree?.loadRefCell()
  if (!cell) return undefined
  const length = shardPrefixLength(wanted.shard)
  for (let depth = 0; ; depth++) {
    const slice = reader.open(cell)
    if (!slice.loadBit()) {
      if (wanted.exact && depth < length) return undefined
      return { leaf: cell, shard: ancestor(wanted.shard, depth) }
    }
    if (depth === length) return undefined
    const right = (wanted.shard >> BigInt(63 - depth)) & 1n
    cell = cell.refs[Number(right)]!
  }
}

function ancestor(shard: ShardId, length: number): ShardId {
  const marker = 1n << BigInt(63 - length)
  return (shard & ~((marker << 1n) - 1n)) | marker
}

/** Root and file hash of a `ShardDescr`. Source: block.tlb `shard_descr#b`, `shard_descr_new#a`. */
export function readShardDescr(leaf: Cell): {
  readonly seqno: number
  readonly rootHash: Buffer
  readonly fileHash: Buffer
} {
  const slice = leaf.slice().skip(5)
  const seqno = slice.loadUint(32)
  slice.skip(32 + 64 + 64)
  return { seqno, rootHash: slice.loadBytes(32), fileHash: slice.loadBytes(32) }
}
