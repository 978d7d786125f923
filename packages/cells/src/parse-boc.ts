import { DecodeError } from '@shardwalk/model'
import { Bag } from './bag.ts'
import { BOC_MAGIC } from './boc-writer.ts'
import type { Cell } from './cell.ts'
import { crc32c } from './crc32c.ts'
import { CELL, exoticBits, exoticRefs, MAX_DEPTH, POPCOUNT } from './levels.ts'

/** What is checked of a bag of cells, and what it may be. */
export interface ParseOptions {
  /** Default true. Set to false if the SHA-256 of the file is checked anyway. */
  readonly verifyCrc?: boolean
  /** Use stored hashes without checking them; only for a file with a proven SHA-256. Default false. */
  readonly trustStoredHashes?: boolean
  /** Exact number of roots. Default: any. */
  readonly expectedRoots?: number
  /** Bags of more cells are refused before any cell is looked at. Default: no limit. */
  readonly maxCells?: number
  /** Accept roots with a level above 0, as in parts of proofs. Default false. */
  readonly allowLevel?: boolean
}

const LEGACY_INDEX = 0x68ff65f3
const LEGACY_INDEX_CRC = 0xacc3a728

interface Header {
  readonly refSize: number
  readonly offsetSize: number
  readonly hasIndex: boolean
  readonly hasCrc: boolean
  readonly hasCacheBits: boolean
  readonly count: number
  readonly roots: readonly number[]
  readonly total: number
  readonly indexAt: number
  readonly dataAt: number
}

const fail = (where: string, problem: string): never => {
  throw new DecodeError(`bag_of_cells.${where}`, problem)
}

/**
 * Parses a bag of cells in any of the three container forms, with or without index, cache bits and stored
 * hashes. Checks the whole structure but computes no hash. The bag keeps a reference to `bytes`. Throws
 * DecodeError on malformed input. Source: node, boc.cpp, `serialized_boc`.
 */
export function parseBoc(input: Uint8Array, options: ParseOptions = {}): Bag {
  const bytes = Buffer.isBuffer(input) ? input : Buffer.from(input.buffer, input.byteOffset, input.byteLength)
  const header = readHeader(bytes)
  if (options.maxCells !== undefined && header.count > options.maxCells)
    fail('cells', `${header.count} cells, at most ${options.maxCells}`)
  if (header.hasCrc && options.verifyCrc !== false) checkCrc(bytes)
  if (options.expectedRoots !== undefined && header.roots.length !== options.expectedRoots)
    fail('roots', `expected ${options.expectedRoots} roots, found ${header.roots.length}`)
  const offsets = findCells(bytes, header)
  if (header.hasIndex) checkIndex(bytes, header, offsets)
  checkCells(bytes, header, offsets)
  for (const root of header.roots)
    if (options.allowLevel !== true && bytes[offsets[root]!]! >> 5 !== 0)
      fail('roots', `root cell ${root} has a level above 0`)
  return new Bag({
    bytes,
    count: header.count,
    offsets,
    refSize: header.refSize,
    roots: header.roots,
    trustStoredHashes: options.trustStoredHashes === true,
  })
}

/** The only root of a bag of cells as `parseBoc` reads it. Throws DecodeError if there are several. */
export function parseRoot(input: Uint8Array, options?: ParseOptions): Cell {
  const bag = parseBoc(input, options)
  return bag.cell(bag.root)
}

function readHeader(bytes: Buffer): Header {
  const magic = bytes.length < 4 ? BOC_MAGIC : bytes.readUInt32BE(0)
  const legacy = magic === LEGACY_INDEX || magic === LEGACY_INDEX_CRC
  if (magic !== BOC_MAGIC && !legacy) fail('magic', `unknown ${magic.toString(16).padStart(8, '0')}`)
  if (bytes.length < 6) fail('header', `not enough bytes: ${bytes.length}`)
  const flags = bytes[4]!
  const refSize = legacy ? flags : flags & 7
  const offsetSize = bytes[5]!
  if (!legacy && (flags & 0x18) !== 0) fail('flags', `reserved bits set in ${flags.toString(16)}`)
  if (refSize < 1 || refSize > 4) fail('flags', `cell index of ${refSize} bytes`)
  if (offsetSize < 1 || offsetSize > 8) fail('off_bytes', `offset of ${offsetSize} bytes`)
  const hasIndex = legacy || (flags & 0x80) !== 0
  const hasCacheBits = !legacy && (flags & 0x20) !== 0
  if (hasCacheBits && !hasIndex) fail('flags', 'cache bits without an index')
  const countsEnd = 6 + 3 * refSize + offsetSize
  if (bytes.length < countsEnd) fail('header', 'not enough bytes')
  const count = bytes.readUIntBE(6, refSize)
  const rootCount = bytes.readUIntBE(6 + refSize, refSize)
  const absent = bytes.readUIntBE(6 + 2 * refSize, refSize)
  const total = readOffset(bytes, 6 + 3 * refSize, offsetSize)
  if (count === 0) fail('cells', 'no cells')
  if (rootCount === 0 || rootCount > count) fail('roots', `${rootCount} roots in ${count} cells`)
  if (legacy && rootCount !== 1) fail('roots', `legacy form with ${rootCount} roots`)
  if (absent !== 0) fail('absent', `${absent} absent cells`)
  if (total > count * 1024 || total < count * (2 + refSize) - refSize)
    fail('tot_cells_size', `${total} bytes for ${count} cells`)
  const indexAt = countsEnd + (legacy ? 0 : rootCount * refSize)
  const dataAt = indexAt + (hasIndex ? count * offsetSize : 0)
  const hasCrc = legacy ? magic === LEGACY_INDEX_CRC : (flags & 0x40) !== 0
  const size = dataAt + total + (hasCrc ? 4 : 0)
  if (bytes.length < size) fail('size', `not enough bytes: ${bytes.length} of ${size}`)
  if (bytes.length > size) fail('size', `${bytes.length - size} bytes after the end`)
  const roots: number[] = []
  for (let i = 0; i < rootCount; i++) {
    const root = legacy ? 0 : bytes.readUIntBE(countsEnd + i * refSize, refSize)
    if (root >= count) fail('root_list', `root ${root} of ${count} cells`)
    roots.push(root)
  }
  return { refSize, offsetSize, hasIndex, hasCrc, hasCacheBits, count, roots, total, indexAt, dataAt }
}

/** Offsets fit in 48 bits in every valid file; larger ones are rejected as too large. */
function readOffset(bytes: Buffer, at: number, size: number): number {
  if (size <= 6) return bytes.readUIntBE(at, size)
  const high = bytes.readUIntBE(at, size - 6)
  return high === 0 ? bytes.readUIntBE(at + size - 6, 6) : Number.MAX_SAFE_INTEGER
}

function checkCrc(bytes: Buffer): void {
  const at = bytes.length - 4
  if (crc32c(bytes, 0, at) !== bytes.readUInt32LE(at)) fail('crc32c', 'CRC32C mismatch')
}

/** Locates the cells in one forward pass over their descriptors. */
function findCells(bytes: Buffer, { count, refSize, dataAt, total }: Header): Uint32Array {
  const offsets = new Uint32Array(count + 1)
  const end = dataAt + total
  let at = dataAt
  for (let cell = 0; cell < count; cell++) {
    offsets[cell] = at
    if (at + 2 > end) fail(`cell[${cell}]`, 'not enough bytes')
    const d1 = bytes[at]!
    const refs = d1 & 7
    if (refs > 4) fail(`cell[${cell}]`, refs === 7 && (d1 & 16) !== 0 ? 'absent cell' : `${refs} references`)
    const stored = (d1 & 16) === 0 ? 0 : (POPCOUNT[d1 >> 5]! + 1) * 34
    at += 2 + stored + ((bytes[at + 1]! + 1) >> 1) + refs * refSize
    if (at > end) fail(`cell[${cell}]`, 'not enough bytes')
  }
  if (at !== end) fail('tot_cells_size', `${end - at} bytes belong to no cell`)
  offsets[count] = at
  return offsets
}

function checkIndex(bytes: Buffer, header: Header, offsets: Uint32Array): void {
  const { indexAt, offsetSize, dataAt, hasCacheBits } = header
  for (let cell = 0; cell < header.count; cell++) {
    const entry = readOffset(bytes, indexAt + cell * offsetSize, offsetSize)
    const end = hasCacheBits ? Math.floor(entry / 2) : entry
    if (end !== offsets[cell + 1]! - dataAt)
      fail(`index[${cell}]`, `is ${end}, but the cell ends at ${offsets[cell + 1]! - dataAt}`)
  }
}

/**
 * Checks references, end markers, level masks, exotic layouts and depth. Each mask is derived from its
 * children's.
 */
function checkCells(bytes: Buffer, { count, refSize }: Header, offsets: Uint32Array): void {
  const distance = new Uint16Array(count)
  for (let cell = 0; cell < count; cell++) {
    const at = offsets[cell]!
    const d1 = bytes[at]!
    const d2 = bytes[at + 1]!
    const refs = d1 & 7
    const refsAt = offsets[cell + 1]! - refs * refSize
    if ((d2 & 1) !== 0 && (bytes[refsAt - 1]! & 0x7f) === 0)
      fail(`cell[${cell}]`, 'overlong data: no bits in the last byte')
    const below = distance[cell]! + 1
    let childMask = 0
    for (let i = 0; i < refs; i++) {
      const child = bytes.readUIntBE(refsAt + i * refSize, refSize)
      if (child <= cell || child >= count)
        fail(`cell[${cell}]`, `reference ${i} to cell ${child} of ${count}`)
      childMask |= bytes[offsets[child]!]! >> 5
      if (below > distance[child]!) distance[child] = below
    }
    if (refs !== 0 && below > MAX_DEPTH) fail(`cell[${cell}]`, `deeper than ${MAX_DEPTH}`)
    const dataAt = refsAt - ((d2 + 1) >> 1)
    const mask = (d1 & 8) === 0 ? childMask : exoticMask(bytes, cell, dataAt, d1, d2, childMask)
    if (mask !== d1 >> 5) fail(`cell[${cell}]`, `level mask ${d1 >> 5} in the descriptor, ${mask} by content`)
  }
}

function exoticMask(
  bytes: Buffer,
  cell: number,
  dataAt: number,
  d1: number,
  d2: number,
  childMask: number,
): number {
  if (d2 < 2) fail(`cell[${cell}]`, 'exotic cell without a type')
  const type = bytes[dataAt]!
  const pruneMask = type === CELL.pruned && d2 >= 4 ? bytes[dataAt + 1]! : 0
  const bits = exoticBits(type, pruneMask)
  if (bits < 0) fail(`cell[${cell}]`, `unknown exotic type ${type}`)
  if (type === CELL.pruned && (pruneMask === 0 || pruneMask > 7))
    fail(`cell[${cell}]`, `pruned branch with mask ${pruneMask}`)
  if (d2 !== bits >> 2) fail(`cell[${cell}]`, `exotic cell of type ${type} has a wrong length`)
  if ((d1 & 7) !== exoticRefs(type))
    fail(`cell[${cell}]`, `exotic cell of type ${type} with ${d1 & 7} references`)
  if (type !== CELL.pruned) return childMask >> 1
  for (let at = dataAt + 2 + 32 * POPCOUNT[pruneMask]!; at < dataAt + (d2 >> 1); at += 2)
    if (bytes.readUInt16BE(at) > MAX_DEPTH) fail(`cell[${cell}]`, `pruned branch deeper than ${MAX_DEPTH}`)
  return pruneMask
}
