import { DecodeError } from '@shardwalk/model'
import { Address, beginCell } from '@ton/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  Builder,
  loadMsgAddress,
  parseBoc,
  remainderHash,
  remainderToBoc,
  type Slice,
  serializeBoc,
  sliceToCell,
} from '../src/index.ts'

const bitText = fc
  .array(fc.constantFrom('0', '1'), { minLength: 1, maxLength: 1023 })
  .map((bits) => bits.join(''))

function cellOf(bits: string) {
  const builder = new Builder()
  for (const bit of bits) builder.storeBit(bit === '1')
  return builder.endCell()
}

/** Slices over the same bits in memory and in a bag. */
function slicesOf(bits: string): readonly Slice[] {
  const cell = cellOf(bits)
  const bag = parseBoc(serializeBoc(new Builder().storeUint(5, 3).storeRef(cell).endCell()))
  return [cell.slice(), bag.slice(bag.ref(bag.root, 0))]
}

test('integers of every width at every position equal the value of their bits', () => {
  const reads = fc.record({
    bits: bitText,
    from: fc.nat({ max: 1023 }),
    width: fc.integer({ min: 1, max: 300 }),
  })
  fc.assert(
    fc.property(reads, ({ bits, from: anywhere, width: any }) => {
      const from = anywhere % bits.length
      const width = Math.min(any, bits.length - from)
      const expected = BigInt(`0b${bits.slice(from, from + width)}`)
      for (const slice of slicesOf(bits)) {
        slice.skip(from)
        expect(slice.preloadUintBig(width)).toBe(expected)
        expect(slice.clone().loadUintBig(width)).toBe(expected)
        expect(slice.clone().loadIntBig(width)).toBe(BigInt.asIntN(width, expected))
        if (width > 32) continue
        expect(slice.preloadUint(width)).toBe(Number(expected))
        expect(slice.clone().loadUint(width)).toBe(Number(expected))
        expect(slice.clone().loadInt(width)).toBe(Number(BigInt.asIntN(width, expected)))
      }
    }),
    { numRuns: 500 },
  )
})

test('part of a cell has the hash and bag of a cell built from it', () => {
  fc.assert(
    fc.property(bitText, fc.nat({ max: 1023 }), fc.nat({ max: 3 }), (bits, anywhere, refs) => {
      const from = anywhere % (bits.length + 1)
      const children = Array.from({ length: refs }, (_, i) => cellOf(bits.slice(i, i + 9)))
      const builder = new Builder()
      for (const bit of bits) builder.storeBit(bit === '1')
      for (const child of children) builder.storeRef(child)
      const whole = builder.endCell()
      const bag = parseBoc(serializeBoc(whole))
      const core = beginCell()
      for (const bit of bits.slice(from)) core.storeBit(bit === '1')
      for (const child of children) {
        const inner = beginCell()
        for (let s = child.slice(); s.remainingBits > 0; ) inner.storeBit(s.loadBit())
        core.storeRef(inner.endCell())
      }
      const expected = core.endCell().hash()
      for (const slice of [whole.slice(), bag.slice(bag.root)]) {
        slice.skip(from)
        expect(remainderHash(slice).equals(expected)).toBe(true)
        expect(sliceToCell(slice).hash().equals(expected)).toBe(true)
        const again = parseBoc(remainderToBoc(slice))
        expect(again.hash(again.root).equals(expected)).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})

test('reading past the end is refused with the wanted and remaining counts', () => {
  const [slice] = slicesOf('1010')
  expect(() => slice!.loadUint(5)).toThrow(/5 bits wanted, 4 left/)
  expect(() => slice!.loadRefSlice()).toThrow(/1 references wanted, 0 left/)
  expect(() => slice!.expectEnd('thing')).toThrow(DecodeError)
  expect(slice!.loadUint(4)).toBe(10)
})

test('money, variable integers and bytes survive a round trip', () => {
  const values = fc.record({
    coins: fc.bigInt({ min: 0n, max: (1n << 120n) - 1n }),
    wide: fc.bigInt({ min: 0n, max: (1n << 248n) - 1n }),
    int: fc.integer(),
    bytes: fc.uint8Array({ maxLength: 20 }),
    shift: fc.nat({ max: 9 }),
  })
  fc.assert(
    fc.property(values, ({ coins, wide, int, bytes, shift }) => {
      const builder = new Builder()
        .storeUint(0, shift)
        .storeCoins(coins)
        .storeVarUint(wide, 5)
        .storeInt(int, 32)
        .storeBytes(bytes)
      const slice = builder.endCell().slice().skip(shift)
      expect(slice.loadCoins()).toBe(coins)
      expect(slice.loadVarUint(5)).toBe(wide)
      expect(slice.loadInt(32)).toBe(int)
      expect(slice.loadBytes(bytes.length)).toEqual(Buffer.from(bytes))
      expect(slice.isEmpty).toBe(true)
    }),
  )
})

test('addresses of all forms are read, with the anycast prefix applied', () => {
  const hash = Buffer.alloc(32, 0xff)
  const read = (builder: Builder) => loadMsgAddress(builder.endCell().slice())
  expect(read(new Builder().storeAddress(undefined))).toEqual({ type: 'none' })
  expect(read(new Builder().storeAddress({ workchain: -1, hash }))).toEqual({
    type: 'std',
    address: { workchain: -1, hash },
  })
  const extern = { type: 'extern', bits: { bits: 11, bytes: Buffer.from([0xab, 0xc0]) } } as const
  expect(read(new Builder().storeAddress(extern))).toEqual(extern)
  const anycast = { bits: 10, bytes: Buffer.from([0x00, 0x40]) }
  const rewritten = Buffer.from(hash)
  rewritten[0] = 0
  rewritten[1] = 0x7f
  expect(read(new Builder().storeAddress({ type: 'std', address: { workchain: 0, hash }, anycast }))).toEqual(
    {
      type: 'std',
      address: { workchain: 0, hash: rewritten },
      anycast,
    },
  )
  const wide = { type: 'var', workchain: 7, bits: { bits: 9, bytes: Buffer.from([0xff, 0x80]) } } as const
  expect(read(new Builder().storeAddress(wide))).toEqual(wide)
  for (const workchain of [128, -129, 70_000, -(2 ** 31)])
    expect(read(new Builder().storeAddress({ workchain, hash }))).toEqual({
      type: 'var',
      workchain,
      bits: { bits: 256, bytes: hash },
    })
  const core = beginCell()
    .storeAddress(Address.parseRaw(`0:${hash.toString('hex')}`))
    .endCell()
  expect(new Builder().storeAddress({ workchain: 0, hash }).endCell().hash()).toEqual(core.hash())
})

test('a builder refuses what does not fit', () => {
  expect(() => new Builder().storeUint(256, 8)).toThrow(/256 does not fit uint8/)
  expect(() => new Builder().storeInt(128, 8)).toThrow(/does not fit int8/)
  expect(() => new Builder().storeBytes(Buffer.alloc(128))).toThrow(/more than 1023 bits/)
  const full = new Builder()
  for (let i = 0; i < 4; i++) full.storeRef(cellOf('1'))
  expect(() => full.storeRef(cellOf('1'))).toThrow(/more than 4 references/)
  expect(() => new Builder().storeUint(9, 8).endCell({ exotic: true })).toThrow(/bad exotic cell/)
})
