import { CELL, Cell } from '@shardwalk/cells'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BodySlice } from './body-slice.ts'

const KINDS = ['uint', 'big', 'hex', 'bytes', 'begins', 'skip'] as const

/** Up to 1,023 bits, and reads of them one after the other. */
const READS = fc.record({
  bits: fc.array(fc.boolean(), { maxLength: 1023 }).map((list) => list.map(Number).join('')),
  reads: fc.array(fc.tuple(fc.constantFrom(...KINDS), fc.nat(80)), { maxLength: 60 }),
})

test('reads at any bit return what the bits say, one by one', () => {
  fc.assert(
    fc.property(READS, ({ bits, reads }) => {
      const slice = new BodySlice(cellOf(bits))
      let at = 0
      for (const [kind, size] of reads) {
        const length = kind === 'bytes' ? (size >> 3) * 8 : kind === 'uint' ? size % 49 : size
        const next = bits.slice(at, at + length)
        if (next.length < length) break
        check(slice, kind, next)
        if (kind !== 'begins') at += length
        expect(slice.bitsLeft).toBe(bits.length - at)
      }
    }),
  )
})

function check(slice: BodySlice, kind: (typeof KINDS)[number], next: string): void {
  const { length } = next
  const value = BigInt(`0b0${next}`)
  if (kind === 'uint') expect(slice.uint(length)).toBe(Number(value))
  else if (kind === 'big') expect(slice.big(length)).toBe(value)
  else if (kind === 'hex') expect(slice.hex(length)).toBe(hexOf(next))
  else if (kind === 'bytes') expect(slice.bytes(length / 8).toString('hex')).toBe(hexOf(next).toLowerCase())
  else if (kind === 'skip') slice.skip(length)
  else if (length <= 48) {
    expect(slice.begins({ bits: length, value: Number(value) })).toBe(true)
    expect(slice.begins({ bits: length, value: Number(value) + 1 })).toBe(false)
  }
}

test('what is longer than the rest begins no slice', () => {
  // The bits of its last byte are 1010 1000.
  const slice = new BodySlice(cellOf('1010'))
  expect([slice.begins({ bits: 4, value: 10 }), slice.begins({ bits: 5, value: 21 })]).toEqual([true, false])
})

/** As TON prints bits: a rest of one to three is completed by a one and zeros. */
function hexOf(bits: string): string {
  const rest = bits.length % 4
  const whole = rest === 0 ? bits : `${bits}1`.padEnd(bits.length + 4 - rest, '0')
  const digits = (whole.match(/.{4}/g) ?? []).map((four) => Number.parseInt(four, 2).toString(16))
  return digits.join('').toUpperCase() + (rest === 0 ? '' : '_')
}

function cellOf(bits: string): Cell {
  const completed = bits.length % 8 === 0 ? bits : `${bits}1`
  const bytes = completed.padEnd(Math.ceil(completed.length / 8) * 8, '0').match(/.{8}/g) ?? []
  const data = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
  return Cell.unchecked(CELL.ordinary, data, bits.length, [])
}
