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
