import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText } from './text.ts'

const DAMAGED = Buffer.from([0x61, 0xff, 0xc3, 0xa4, 0xc3])

test('damaged text is refused, replaced or escaped byte by byte, as requested', () => {
  expect(decodeText(DAMAGED, { damaged: 'refuse' })).toBeUndefined()
  expect(decodeText(DAMAGED, { damaged: 'replace' })).toBe('a\ufffdä\ufffd')
  expect(decodeText(DAMAGED, { damaged: 'escape' })).toBe('a\\xffä\\xc3')
})

test('a genuine replacement character is not damage', () => {
  const sent = Buffer.from('a\ufffd')
  expect(decodeText(sent, { damaged: 'refuse' })).toBe('a\ufffd')
  expect(decodeText(sent, { damaged: 'escape' })).toBe('a\ufffd')
})

test('NUL characters are removed unless requested', () => {
  const bytes = Buffer.from('me\0t\0')
  expect(decodeText(bytes, { damaged: 'refuse' })).toBe('met')
  expect(decodeText(bytes, { damaged: 'refuse', keepNul: true })).toBe('me\0t\0')
})

test('escaped text is the valid characters, and each other byte by itself', () => {
  const character = fc.constantFrom('a', 'ä', '€', '😀', '\ufeff', '\ufffd')
  // Bytes that are in no text, the beginning of a longer character, and its end alone.
  const damage = fc
    .constantFrom('ff', 'c0', 'f09fff', 'e282ff', 'ff80', 'ffbfbf')
    .map((hex) => Buffer.from(hex, 'hex'))
  const parts = fc.array(fc.oneof(character, damage))
  fc.assert(
    fc.property(parts, (list) => {
      const escaped = list.map((part) =>
        typeof part === 'string' ? part : part.toString('hex').replaceAll(/../g, '\\x$&'),
      )
      const bytes = Buffer.concat(list.map((part) => Buffer.from(part)))
      expect(decodeText(bytes, { damaged: 'escape' })).toBe(escaped.join(''))
    }),
  )
})

test('what is not text at all is escaped without an exception per byte', () => {
  const bytes = Buffer.alloc(1024 * 1024, 0xff)
  const started = process.cpuUsage()
  const text = decodeText(bytes, { damaged: 'escape' })
  const { user } = process.cpuUsage(started)
  expect(text).toBe('\\xff'.repeat(bytes.length))
  // Not a measurement: one exception per byte took four seconds.
  expect(user / 1000).toBeLessThan(1500)
})
