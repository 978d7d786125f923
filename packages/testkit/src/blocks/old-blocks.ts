import { Builder, type Cell } from '@shardwalk/cells'
import type { BlockId } from '@shardwalk/model'

/** An entry of `OldMcBlocksInfo`. */
export interface OldBlock {
  readonly id: BlockId
  readonly endLt: bigint
  readonly isKey: boolean
}

/** The end of a label, and block.tlb `_ key:Bool max_end_lt:uint64 = KeyMaxLt` of all below it. */
interface Edge {
  readonly cell: Cell
  readonly isKey: boolean
  readonly maxEndLt: bigint
}

const KEY_BITS = 32

/**
 * Earlier masterchain blocks, from the zerostate on, of which a state lists all. What is full is built once,
 * so that a block costs as much at the end of a long chain as at its beginning.
 */
export class OldBlocks {
  private readonly blocks: OldBlock[] = []
  private readonly full = new Map<string, Edge>()

  /** Their seqnos are consecutive. */
  add(block: OldBlock): void {
    this.blocks.push(block)
  }

  /** block.tlb `OldMcBlocksInfo = HashmapAugE 32 KeyExtBlkRef KeyMaxLt`. */
  store(builder: Builder): Builder {
    const root = this.blocks.length > 0 ? this.edge(0, this.blocks.length, KEY_BITS) : undefined
    builder.storeMaybeRef(root?.cell)
    return storeExtra(builder, root ?? { isKey: false, maxEndLt: 0n })
  }

  /** Of the blocks from `from` until `to`, which share all but `bits` bits of their seqnos. */
  private edge(from: number, to: number, bits: number): Edge {
    const isFull = to - from === 2 ** bits
    const name = `${from} ${bits}`
    const made = this.full.get(name) ?? this.makeEdge(from, to, bits)
    if (isFull) this.full.set(name, made)
    return made
  }

  private makeEdge(from: number, to: number, bits: number): Edge {
    const count = to - from
    const below = count === 1 ? 0 : Math.ceil(Math.log2(count))
    const builder = storeZeros(new Builder(), bits - below, bits)
    if (count === 1) {
      const { id, endLt, isKey } = this.blocks[from]!
      storeExtra(builder, { isKey, maxEndLt: endLt }).storeBit(isKey).storeUint(endLt, 64)
      builder.storeUint(id.seqno, 32).storeBytes(id.rootHash).storeBytes(id.fileHash)
      return { cell: builder.endCell(), isKey, maxEndLt: endLt }
    }
    const middle = from + 2 ** (below - 1)
    const left = this.edge(from, middle, below - 1)
    const right = this.edge(middle, to, below - 1)
    const extra = {
      isKey: left.isKey || right.isKey,
      // Seqnos and logical times grow together.
      maxEndLt: right.maxEndLt,
    }
    storeExtra(builder.storeRef(left.cell).storeRef(right.cell), extra)
    return { cell: builder.endCell(), ...extra }
  }
}

const storeExtra = (builder: Builder, { isKey, maxEndLt }: Omit<Edge, 'cell'>): Builder =>
  builder.storeBit(isKey).storeUint(maxEndLt, 64)

/** A label of zeros in the shorter form: block.tlb `hml_short$0`, `hml_same$11`. */
function storeZeros(builder: Builder, length: number, most: number): Builder {
  const lengthBits = Math.ceil(Math.log2(most + 1))
  if (2 * length + 2 <= 3 + lengthBits) {
    const unary = builder.storeBit(false).storeUint(2 ** (length + 1) - 2, length + 1)
    return length > 0 ? unary.storeUint(0, length) : unary
  }
  return builder.storeUint(0b110, 3).storeUint(length, lengthBits)
}
