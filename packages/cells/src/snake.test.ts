import { expect, test } from 'vitest'
import { Builder } from './builder.ts'
import type { Cell } from './cell.ts'
import { loadSnake } from './snake.ts'

const text = (bytes: string): Builder => new Builder().storeBytes(Buffer.from(bytes))
const chain = (...parts: readonly Builder[]): Cell =>
  parts.reduceRight<Cell | undefined>(
    (next, part) => (next ? part.storeRef(next) : part).endCell(),
    undefined,
  )!
const read = (cell: Cell, options?: Parameters<typeof loadSnake>[1]) =>
  loadSnake(cell.slice(), options)?.bytes.toString()

const LIBRARY = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32)).endCell({ exotic: true })

test('a snake has the bytes of a cell and of the chain of first references', () => {
  expect(read(chain(text('one '), text('two '), text('three')))).toBe('one two three')
})

test('a reader inside a cell reads from there on', () => {
  expect(loadSnake(chain(text('....one '), text('two')).slice().skip(32))?.bytes.toString()).toBe('one two')
})

test('odd bits are refused, dropped or joined, as requested', () => {
  const [high, low] = [0x6, 0x1]
  const split = chain(
    text('a').storeUint(high, 4),
    new Builder().storeUint(low, 4).storeBytes(Buffer.from('b')),
  )
  expect(read(split)).toBeUndefined()
  expect(read(split, { oddBits: 'join' })).toBe('aab')
  expect(read(chain(text('a').storeUint(high, 4), text('b')), { oddBits: 'drop' })).toBe('ab')
  expect(read(chain(text('a').storeUint(high, 4), text('b')), { oddBits: 'join' })).toBeUndefined()
})

test('an exotic cell in the chain makes it unreadable or ends it', () => {
  const cell = text('a').storeRef(LIBRARY).endCell()
  expect(read(cell)).toBeUndefined()
  expect(read(cell, { exotic: 'stop' })).toBe('a')
})

test('cells beyond the limit are omitted, and the result says so', () => {
  const cell = chain(text('12345'), text('67890'), text('x'))
  expect(loadSnake(cell.slice(), { maxBytes: 10 })).toEqual({ bytes: Buffer.from('1234567890'), isCut: true })
  expect(loadSnake(cell.slice(), { maxBytes: 11 })?.isCut).toBe(false)
})

test('the callback receives every cell and can abort', () => {
  const seen: number[] = []
  loadSnake(chain(text('ab'), text('c')).slice(), { onCell: (bits) => seen.push(bits) })
  expect(seen).toEqual([16, 8])
  const giveUp = () => {
    throw new RangeError('too much')
  }
  expect(() => loadSnake(chain(text('ab')).slice(), { onCell: giveUp })).toThrow(RangeError)
})
