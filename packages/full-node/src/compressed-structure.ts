import { DecodeError } from '@shardwalk/model'
import { BitReader } from './bit-reader.ts'

const MAX_ROOTS = 4
const MAX_NODES = 1 << 20
const MAX_REFS = 4
/** Kinds of nodes in the stream; between them stand pruned branches with their masks. */
const ORDINARY = 0
const SPECIAL = 1
const BALANCE = 9
const POPCOUNT = [0, 1, 1, 2, 1, 2, 2, 3]

/** The cells of a compressed bag: structure and bits, in flat arrays. Children have greater indices. */
export interface CompressedNodes {
  readonly count: number
  readonly roots: readonly number[]
  /** 1: library, Merkle proof or update. */
  readonly isSpecial: Uint8Array
  /** Level masks of pruned branches, 0 for other cells. */
  readonly masks: Uint8Array
  /** 1: inner node of an account dictionary, whose data are to be computed. */
  readonly isBalance: Uint8Array
  readonly refCounts: Uint8Array
  /** Four per node. */
  readonly refs: Int32Array
  /** Bits of data, without what every pruned branch begins with. */
  readonly bitLengths: Uint16Array
  /** Where the data of each node begin. */
  readonly starts: Uint32Array
  readonly data: Uint8Array
}

const fail = (problem: string): never => {
  throw new DecodeError('boc_compress', problem)
}

/**
 * Reads the stream of the compression "improved structure". Throws `DecodeError`.
 * Source: ton-blockchain/ton, crypto/vm/boc-compression.cpp.
 */
export function readStructure(bytes: Uint8Array): CompressedNodes {
  const reader = new BitReader(bytes)
  const rootCount = reader.uint(32)
  if (rootCount < 1 || rootCount > MAX_ROOTS) fail(`${rootCount} roots`)
  const roots = Array.from({ length: rootCount }, () => reader.uint(32))
  const count = reader.uint(32)
  // Every node has at least a byte of its own, which bounds what is allocated.
  if (count < 1 || count > MAX_NODES || count * 8 > reader.remaining) fail(`${count} nodes`)
  if (roots.some((root) => root >= count)) fail('a root is no node')
  const nodes = new StructureReader(reader, count, roots)
  nodes.readHeads()
  nodes.readNextRefs()
  nodes.readPrefixes()
  nodes.readOtherRefs()
  nodes.readSuffixes()
  return nodes
}

class StructureReader implements CompressedNodes {
  readonly isSpecial: Uint8Array
  readonly masks: Uint8Array
  readonly isBalance: Uint8Array
  readonly refCounts: Uint8Array
  readonly refs: Int32Array
  readonly bitLengths: Uint16Array
  readonly starts: Uint32Array
  data = new Uint8Array(0)
  private readonly isPadded: Uint8Array

  constructor(
    private readonly reader: BitReader,
    readonly count: number,
    readonly roots: readonly number[],
  ) {
    this.isSpecial = new Uint8Array(count)
    this.masks = new Uint8Array(count)
    this.isBalance = new Uint8Array(count)
    this.refCounts = new Uint8Array(count)
    this.refs = new Int32Array(count * MAX_REFS)
    this.bitLengths = new Uint16Array(count)
    this.isPadded = new Uint8Array(count)
    this.starts = new Uint32Array(count)
  }

  readHeads(): void {
    const { reader } = this
    for (let node = 0; node < this.count; node++) {
      const type = reader.uint(4)
      const refs = reader.uint(4)
      if (type > BALANCE || refs > MAX_REFS) fail(`node ${node} of type ${type} with ${refs} references`)
      this.refCounts[node] = refs
      if (type === BALANCE) this.isBalance[node] = 1
      else if (type > SPECIAL) this.readPrunedHead(node, type - 1)
      else this.readHead(node, type)
    }
  }

  private readHead(node: number, type: number): void {
    this.isSpecial[node] = type === ORDINARY ? 0 : 1
    const isSmall = this.reader.bit() === 1
    const length = this.reader.uint(7)
    this.isPadded[node] = isSmall ? 0 : 1
    this.bitLengths[node] = isSmall ? length : length === 0 ? 1024 : length * 8
  }

  private readPrunedHead(node: number, mask: number): void {
    if (this.refCounts[node] !== 0) fail(`pruned branch ${node} without its data`)
    this.masks[node] = mask
    this.bitLengths[node] = 272 * POPCOUNT[mask]!
  }

  /** References to the next node. */
  readNextRefs(): void {
    for (let node = 0; node < this.count; node++)
      for (let i = 0; i < this.refCounts[node]!; i++)
        this.refs[node * MAX_REFS + i] = this.reader.bit() === 1 ? node + 1 : -1
  }

  readPrefixes(): void {
    this.allocate()
    for (let node = 0; node < this.count; node++) {
      const bits = this.bitLengths[node]! & 7
      if (bits > 0) this.data[this.starts[node]!] = this.reader.uint(bits) << (8 - bits)
    }
  }

  /** No more than what the stream can hold. */
  private allocate(): void {
    let bits = 0
    let size = 0
    for (let node = 0; node < this.count; node++) {
      bits += this.bitLengths[node]!
      this.starts[node] = size
      // One more, because the last bits are shifted.
      size += (this.bitLengths[node]! >> 3) + 2
    }
    if (bits > this.reader.remaining) fail(`${bits} bits of data where ${this.reader.remaining} are left`)
    this.data = new Uint8Array(size)
  }

  readOtherRefs(): void {
    for (let node = 0; node < this.count; node++)
      for (let i = node * MAX_REFS, end = i + this.refCounts[node]!; i < end; i++) {
        if (this.refs[i] === -1) this.refs[i] = this.readRef(node)
        if (this.refs[i]! >= this.count) fail(`node ${node} refers to ${this.refs[i]} of ${this.count}`)
      }
  }

  private readRef(node: number): number {
    const { reader, count } = this
    if (count <= node + 3) return node + 2
    const bits = 32 - Math.clz32(count - node - 3)
    const isShort = bits < 9 - ((reader.position + 1) & 7)
    if (isShort || reader.bit() === 0) return reader.uint(bits) + node + 2
    return reader.uint(8 - (reader.position & 7)) + node + 2
  }

  readSuffixes(): void {
    this.reader.align()
    for (let node = 0; node < this.count; node++) {
      if (this.isBalance[node] === 1) continue
      const suffix = this.reader.bytesAligned(this.bitLengths[node]! >> 3)
      const skipped = this.isPadded[node] === 1 ? paddingOf(suffix, node) : 0
      const prefix = this.bitLengths[node]! & 7
      this.bitLengths[node]! -= skipped
      appendShifted(this.data, this.starts[node]!, suffix, prefix - skipped)
    }
    if (this.reader.remaining > 7) fail(`${this.reader.remaining} bits follow`)
  }
}

/** Leading zeros and the one that ends them. */
function paddingOf(suffix: Uint8Array, node: number): number {
  const first = suffix[0] ?? 0
  if (first === 0) fail(`node ${node} has no end of its padding in the first byte`)
  return Math.clz32(first) - 23
}

/** Writes bytes at a bit position from -8 to 7 relative to `start`; what is before `start` is dropped. */
function appendShifted(target: Uint8Array, start: number, bytes: Uint8Array, shift: number): void {
  if (shift === 0) return void target.set(bytes, start)
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (shift > 0) {
      target[start + i]! |= byte >> shift
      target[start + i + 1]! |= (byte << (8 - shift)) & 0xff
    } else {
      target[start + i]! |= (byte << -shift) & 0xff
      if (i > 0) target[start + i - 1]! |= byte >> (8 + shift)
    }
  }
}
