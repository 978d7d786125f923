import { Builder, Cell, MAX_DEPTH } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { type CompressedNodes, readStructure } from './compressed-structure.ts'

const MAX_REFS = 4
const MERKLE_UPDATE = 4
/** Reference of a block that is its state update. Source: block.tlb, block#11ef55aa. */
const STATE_UPDATE = 2
/** `00` for the empty label, `00000` for the split depth. */
const BALANCE_PREFIX_BITS = 7

const fail = (problem: string): never => {
  throw new DecodeError('boc_compress', problem)
}

/** Roots of a bag in the compression "improved structure". Throws `DecodeError`. */
export function decodeCells(bytes: Uint8Array): readonly Cell[] {
  const nodes = readStructure(bytes)
  return new CellMaker(nodes).roots()
}

/** Makes cells from the last to the first; those above computed balances afterwards, from the roots down. */
class CellMaker {
  private readonly made: (Cell | undefined)[]
  /** 1: at or above a node whose balance is to be computed. */
  private readonly isOpen: Uint8Array

  constructor(private readonly nodes: CompressedNodes) {
    this.made = new Array(nodes.count)
    this.isOpen = Uint8Array.from(nodes.isBalance)
    for (let node = nodes.count - 1; node >= 0; node--) {
      if (this.children(node).some((child) => this.isOpen[child] === 1)) this.isOpen[node] = 1
      if (this.isOpen[node] === 0)
        this.made[node] = this.make(
          node,
          this.children(node).map((child) => this.made[child]!),
        )
    }
  }

  roots(): readonly Cell[] {
    return this.nodes.roots.map((root) => this.made[root] ?? this.makeBlock(root))
  }

  private children(node: number): number[] {
    const first = node * MAX_REFS
    return [...this.nodes.refs.subarray(first, first + this.nodes.refCounts[node]!)]
  }

  private make(node: number, refs: readonly Cell[]): Cell {
    const { masks, isSpecial, bitLengths, starts, data } = this.nodes
    const bits = bitLengths[node]!
    const start = starts[node]!
    const bytes = Buffer.from(data.subarray(start, start + ((bits + 7) >> 3)))
    const mask = masks[node]!
    if (mask > 0) return Cell.of(true, Buffer.concat([Buffer.of(1, mask), bytes]), bits + 16, refs)
    if (bits > 1023) fail(`node ${node} has ${bits} bits`)
    if ((bits & 7) !== 0) bytes[bytes.length - 1]! |= 0x80 >> (bits & 7)
    return Cell.of(isSpecial[node] === 1, bytes, bits, refs)
  }

  /** A block whose state update has computed balances. */
  private makeBlock(root: number): Cell {
    const refs = this.children(root).map((child, i) =>
      this.isOpen[child] === 0 ? this.made[child]! : this.makeStateUpdate(child, i),
    )
    return this.make(root, refs)
  }

  private makeStateUpdate(node: number, position: number): Cell {
    const [before, after] = this.children(node)
    const isUpdate =
      this.nodes.isSpecial[node] === 1 && this.nodes.data[this.nodes.starts[node]!] === MERKLE_UPDATE
    if (position !== STATE_UPDATE || !isUpdate || before === undefined || after === undefined)
      return fail(`node ${node} above balances is no state update`)
    const left = this.made[before] ?? fail('balances before the block are missing')
    return this.make(node, [left, this.makeAfter(after, left, 0).cell])
  }

  /** The cell and by how much its balance exceeds that of the cell it replaces. */
  private makeAfter(
    node: number,
    before: Cell | undefined,
    depth: number,
  ): { cell: Cell; growth: bigint | undefined } {
    if (depth > MAX_DEPTH) fail(`node ${node} is too deep`)
    const known = this.made[node]
    if (known) return { cell: known, growth: growthOf(before, known) }
    const children = this.children(node).map((child, i) => this.makeAfter(child, before?.refs[i], depth + 1))
    const refs = children.map(({ cell }) => cell)
    if (this.nodes.isBalance[node] === 0) {
      const cell = (this.made[node] = this.make(node, refs))
      return { cell, growth: growthOf(before, cell) }
    }
    const old = before && balanceOf(before)
    if (old === undefined) return fail(`node ${node} has no balance before the block`)
    const growth = children.reduce((sum, child) => sum + (child.growth ?? 0n), 0n)
    const cell = (this.made[node] = balanceCell(old + growth, refs))
    return { cell, growth }
  }
}

function growthOf(before: Cell | undefined, after: Cell): bigint | undefined {
  const now = balanceOf(after)
  const old = before && balanceOf(before)
  return now === undefined || old === undefined ? undefined : now - old
}

/** Balance of an inner node of an account dictionary without label and extra currencies. */
function balanceOf(cell: Cell): bigint | undefined {
  if (cell.isExotic || cell.bits < BALANCE_PREFIX_BITS + 5) return undefined
  const slice = cell.slice()
  if (slice.loadUint(BALANCE_PREFIX_BITS) !== 0) return undefined
  const length = slice.loadUint(4)
  if (slice.remainingBits !== length * 8 + 1) return undefined
  const balance = slice.loadUintBig(length * 8)
  return slice.loadBit() ? undefined : balance
}

function balanceCell(balance: bigint, refs: readonly Cell[]): Cell {
  if (balance < 0n) return fail('a balance is negative')
  const builder = new Builder().storeUint(0, BALANCE_PREFIX_BITS).storeCoins(balance).storeBit(0)
  for (const ref of refs) builder.storeRef(ref)
  return builder.endCell()
}
