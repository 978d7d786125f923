import { type BocOptions, type CellContents, writeBoc } from './boc-writer.ts'
import { type Cell, descriptor1, descriptor2 } from './cell.ts'
import { PostOrder } from './tree-order.ts'

/**
 * Serialises in-memory trees; equal cells are stored once. By default the shortest form: no index, no CRC.
 */
export function serializeBoc(roots: Cell | readonly Cell[], options: BocOptions = {}): Buffer {
  const trees = Array.isArray(roots) ? (roots as readonly Cell[]) : [roots as Cell]
  const importer = new CellImporter()
  const indices = trees.map((root) => importer.import(root))
  return writeBoc(importer.tree, importer, indices, options)
}

/**
 * Form in which nodes store and sign blocks (index, CRC, cache bits, hashes). Its SHA-256 is the file hash.
 */
export const serializeCanonical = (root: Cell): Buffer =>
  serializeBoc(root, { index: true, crc32c: true, cacheBits: true, storedHashes: true })

class CellImporter implements CellContents {
  readonly tree = new PostOrder()
  private readonly cells: Cell[] = []
  private readonly byHash = new Map<string, number>()
  private readonly byCell = new Map<Cell, number>()

  import(cell: Cell): number {
    const same = this.byCell.get(cell)
    if (same !== undefined) return this.repeat(same)
    const hash = cell.hash().toString('latin1')
    const equal = this.byHash.get(hash)
    if (equal !== undefined) return this.repeat(equal)
    const refs = cell.refs.map((child) => this.import(child))
    const index = this.tree.open()
    for (const child of refs) this.tree.addRef(index, child)
    this.tree.close(index)
    this.cells.push(cell)
    this.byCell.set(cell, index)
    this.byHash.set(hash, index)
    return index
  }

  private repeat(index: number): number {
    this.tree.repeated[index] = 1
    return index
  }

  d1(index: number): number {
    const cell = this.cells[index]!
    return descriptor1(cell, cell.levelMask)
  }

  dataLength(index: number): number {
    return this.cells[index]!.data.length
  }

  writeData(index: number, target: Buffer, at: number, dataAt: number): void {
    const cell = this.cells[index]!
    target[at] = descriptor2(cell.bits)
    target.set(cell.data, dataAt)
  }

  hash(index: number, level: number): Uint8Array {
    return this.cells[index]!.hash(level)
  }

  depth(index: number, level: number): number {
    return this.cells[index]!.depth(level)
  }
}
