import { DecodeError } from '@shardwalk/model'
import { Cell as CoreCell } from '@ton/core'
import { describe, expect, test } from 'vitest'
import { bagToBoc, parseBoc, parseRoot, serializeBoc, serializeCanonical } from '../src/index.ts'
import { blockIndex, filesIn, fixture } from './fixtures.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe.each(blockIndex())('$file', (entry) => {
  const bytes = fixture(entry.file)

  test('has its root hash computed on demand, in one pass, and from stored hashes', () => {
    const lazy = parseBoc(bytes)
    expect(lazy.count).toBe(entry.cells)
    expect(hex(lazy.hash(lazy.root))).toBe(entry.root_hash)
    const whole = parseBoc(bytes)
    whole.hashAll()
    expect(hex(whole.hash(whole.root))).toBe(entry.root_hash)
    const trusting = parseBoc(bytes, { trustStoredHashes: true })
    expect(hex(trusting.hash(trusting.root))).toBe(entry.root_hash)
    const cell = lazy.cell(lazy.root)
    expect(hex(cell.hash())).toBe(entry.root_hash)
    expect(cell.depth()).toBe(lazy.depth(lazy.root))
  })

  test('gives every depth when it is the first thing asked of a bag', () => {
    const bag = parseBoc(bytes)
    bag.hashAll()
    for (let cell = 0; cell < bag.count; cell += 1 + (bag.count >> 5))
      expect(parseBoc(bytes).depth(cell)).toBe(bag.depth(cell))
  })

  test('survives a round trip through the plain form', () => {
    const bag = parseBoc(bytes)
    const plain = bagToBoc(bag, bag.root)
    expect(plain.equals(serializeBoc(bag.cell(bag.root)))).toBe(true)
    const again = parseBoc(plain)
    expect(again.count).toBe(entry.cells)
    expect(hex(again.hash(again.root))).toBe(entry.root_hash)
  })
})

test.each(blockIndex().filter((entry) => entry.file_hash_is_canonical))(
  '$file is reproduced byte for byte by the canonical form',
  ({ file }) => {
    const bytes = fixture(file)
    const bag = parseBoc(bytes)
    expect(serializeCanonical(bag.cell(bag.root)).equals(bytes)).toBe(true)
  },
)

test.each([...filesIn('proofs'), ...filesIn('states')])(
  '%s: every root has the hash that @ton/core computes',
  (file) => {
    const bytes = fixture(file)
    const bag = parseBoc(bytes, { allowLevel: true })
    bag.hashAll()
    const expected = CoreCell.fromBoc(bytes).map((cell) => hex(cell.hash()))
    expect(bag.roots.map((root) => hex(bag.hash(root)))).toEqual(expected)
    expect(bag.roots.map((root) => hex(bag.cell(root).hash()))).toEqual(expected)
  },
)

interface Variant {
  readonly file: string
  readonly roots?: readonly string[]
  readonly expect?: string
}

const variants: readonly Variant[] = JSON.parse(fixture('variants/index.json').toString())

test.each(variants.filter((variant) => variant.roots))('container form $file is read', ({ file, roots }) => {
  const bag = parseBoc(fixture(`variants/${file}`))
  expect(bag.roots.map((root) => hex(bag.hash(root)))).toEqual(roots)
})

test('broken variants are refused, except those that only the root hash reveals', () => {
  expect(() => parseBoc(fixture('variants/broken_crc.boc'))).toThrow(/crc32c: CRC32C mismatch/)
  expect(() => parseBoc(fixture('variants/broken_truncated.boc'))).toThrow(/not enough bytes/)
  const bag = parseBoc(fixture('variants/broken_bit.boc'))
  expect(hex(bag.hash(bag.root))).toBe('e64e153dfe9cad92f1a26f9d8df3c10f8fb5cfab053b0d94ab6456e50bb197a2')
})

test('the number of roots is checked on request', () => {
  const bytes = fixture('variants/boc_two_roots.boc')
  expect(() => parseBoc(bytes, { expectedRoots: 1 })).toThrow(/expected 1 roots, found 2/)
  expect(() => parseRoot(bytes)).toThrow(DecodeError)
})

describe('a malformed file is refused with the reason', () => {
  // One root cell of 8 bits with one reference to an empty cell; every size in the header is one byte.
  const GOOD = 'b5ee9c72 01 01 02 01 00 06 00 0102aa01 0000'
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['unknown magic', 'deadbeef 01 01 02 01 00 06 00 0102aa01 0000', /magic: unknown deadbeef/],
    ['reserved flags', 'b5ee9c72 09 01 02 01 00 06 00 0102aa01 0000', /flags: reserved bits/],
    [
      'cache bits without index',
      'b5ee9c72 21 01 02 01 00 06 00 0102aa01 0000',
      /cache bits without an index/,
    ],
    ['wide cell index', 'b5ee9c72 05 01 02 01 00 06 00 0102aa01 0000', /cell index of 5 bytes/],
    ['zero-width offset', 'b5ee9c72 01 00 02 01 00 06 00 0102aa01 0000', /offset of 0 bytes/],
    ['no cells', 'b5ee9c72 01 01 00 01 00 06 00 0102aa01 0000', /no cells/],
    ['no roots', 'b5ee9c72 01 01 02 00 00 06 00 0102aa01 0000', /0 roots/],
    ['absent cells', 'b5ee9c72 01 01 02 01 01 06 00 0102aa01 0000', /1 absent cells/],
    ['root out of range', 'b5ee9c72 01 01 02 01 00 06 02 0102aa01 0000', /root 2 of 2 cells/],
    ['too few bytes per cell', 'b5ee9c72 01 01 02 01 00 04 00 0102aa01', /4 bytes for 2 cells/],
    ['truncated', 'b5ee9c72 01 01 02 01 00 06 00 0102aa01 00', /not enough bytes/],
    ['bytes after the end', `${GOOD} 00`, /1 bytes after the end/],
    ['bytes that belong to no cell', 'b5ee9c72 01 01 02 01 00 07 00 0102aa01 0000 00', /belong to no cell/],
    ['reference to itself', 'b5ee9c72 01 01 02 01 00 06 00 0102aa00 0000', /reference 0 to cell 0/],
    ['reference out of range', 'b5ee9c72 01 01 02 01 00 06 00 0102aa02 0000', /reference 0 to cell 2 of 2/],
    ['five references', 'b5ee9c72 01 01 02 01 00 06 00 0502aa01 0000', /5 references/],
    ['absent cell', 'b5ee9c72 01 01 02 01 00 06 00 1702aa01 0000', /absent cell/],
    ['overlong data', 'b5ee9c72 01 01 02 01 00 06 00 01018001 0000', /overlong data/],
    [
      'wrong level mask',
      'b5ee9c72 01 01 02 01 00 06 00 2102aa01 0000',
      /level mask 1 in the descriptor, 0 by content/,
    ],
    [
      'exotic cell without a type',
      'b5ee9c72 01 01 02 01 00 06 00 0102aa01 0800',
      /exotic cell without a type/,
    ],
    [
      'pruned branch of a tree too deep to exist',
      `b5ee9c72 01 01 01 01 00 26 00 2848 0101 ${'07'.repeat(32)} 0401`,
      /pruned branch deeper than 1024/,
    ],
    ['unknown exotic type', 'b5ee9c72 01 01 02 01 00 07 00 0102aa01 080209', /unknown exotic type 9/],
  ]
  const bytesOf = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

  test('the unbroken one is read', () => {
    expect(parseBoc(bytesOf(GOOD)).count).toBe(2)
  })

  test.each(cases)('%s', (_name, text, reason) => {
    expect(() => parseBoc(bytesOf(text))).toThrow(DecodeError)
    expect(() => parseBoc(bytesOf(text))).toThrow(reason)
  })

  test('a wrong index', () => {
    const bytes = Buffer.from(fixture('variants/boc_index.boc'))
    const entry = 6 + 3 + 2 + 1
    bytes[entry + 1]! ^= 1
    expect(() => parseBoc(bytes)).toThrow(/index\[0\]: is 15/)
  })

  test('a wrong stored hash is detected when its cell is hashed, unless stored hashes are trusted', () => {
    const bytes = Buffer.from(fixture('mainnet_0_a000000000000000_54302208.boc'))
    const bag = parseBoc(bytes, { verifyCrc: false })
    const carrier = Array.from({ length: bag.count }, (_, i) => i).find(
      (i) => (bytes[bag.offsets[i]!]! & 16) !== 0,
    )!
    bytes[bag.offsets[carrier]! + 2]! ^= 1
    expect(() => parseBoc(bytes, { verifyCrc: false }).hash(carrier)).toThrow(/stored hash differs/)
    expect(() => parseBoc(bytes, { verifyCrc: false, trustStoredHashes: true }).hash(carrier)).not.toThrow()
  })

  test('a tree deeper than 1024', () => {
    const cells = 1100
    const header = Buffer.from('b5ee9c7202020000000100000000 0000'.replace(' ', ''), 'hex')
    header.writeUInt16BE(cells, 6)
    header.writeUInt16BE(cells * 4 - 2, 12)
    const chain = Array.from({ length: cells }, (_, i) =>
      i === cells - 1 ? [0, 0] : [1, 0, (i + 1) >> 8, (i + 1) & 0xff],
    )
    expect(() => parseBoc(Buffer.concat([header, Buffer.from(chain.flat())]))).toThrow(/deeper than 1024/)
  })
})
