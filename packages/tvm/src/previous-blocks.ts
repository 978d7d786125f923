import { type Cell, serializeBoc, sliceToCell } from '@shardwalk/cells'
import { type StackValue, storeStack } from '@shardwalk/contracts'
import type { BlockId, PreviousBlocks } from '@shardwalk/model'

/** Every transaction of an emulated trace gets the same ones. */
const texts = new WeakMap<PreviousBlocks, string>()

/**
 * Previous blocks as the executor expects them: one `VmStackValue` as a bag of cells in base64. Source: node,
 * mc-config.cpp `ConfigInfo::get_prev_blocks_info`.
 */
export function previousBlocksText(blocks: PreviousBlocks): string {
  const known = texts.get(blocks) ?? toText(blocks)
  texts.set(blocks, known)
  return known
}

function toText({ last, key, hundreds }: PreviousBlocks): string {
  const lists = hundreds === undefined ? [] : [tuple(hundreds.map(blockTuple))]
  const value = tuple([tuple(last.map(blockTuple)), blockTuple(key), ...lists])
  return serializeBoc(stackEntry(value)).toString('base64')
}

const tuple = (items: readonly StackValue[]): StackValue => ({ type: 'tuple', items: [...items] })
const int = (value: bigint): StackValue => ({ type: 'int', value })
const hashInt = (hash: Buffer): StackValue => int(BigInt(`0x${hash.toString('hex')}`))

/** `[workchain, shard, seqno, root_hash, file_hash]`; all but the workchain are unsigned. */
const blockTuple = ({ workchain, shard, seqno, rootHash, fileHash }: BlockId): StackValue =>
  tuple([
    int(BigInt(workchain)),
    int(BigInt.asUintN(64, shard)),
    int(BigInt(seqno)),
    hashInt(rootHash),
    hashInt(fileHash),
  ])

/** One value as `VmStackValue`: a stack of one without its depth and the reference to the empty rest. */
const stackEntry = (value: StackValue): Cell => sliceToCell(storeStack([value]).slice().skip(24).skipRefs(1))
