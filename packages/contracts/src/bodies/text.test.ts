import { expect, test } from 'vitest'
import { decodeText } from './text.ts'

const DAMAGED = Buffer.from([0x61, 0xff, 0xc3, 0xa4, 0xc3])

test('damaged text is refused, replaced or escaped byte by byte, as asked for', () => {
  expect(decodeText(DAMAGED, { damaged: 'refuse' })).toBeUndefined()
  expect(decodeText(DAMAGED, { damaged: 'replace' })).toBe('a\ufffdä\ufffd')
  expect(decodeText(DAMAGED, { damaged: 'escape' })).toBe('a\\xffä\\xc3')
})

test('a replacement character that was sent is no damage', () => {
  const sent = Buffer.from('a\ufffd')
  expect(decodeText(sent, { damaged: 'refuse' })).toBe('a\ufffd')
  expect(decodeText(sent, { damaged: 'escape' })).toBe('a\ufffd')
})

test('NUL characters disappear unless they are asked for', () => {
  const bytes = Buffer.from('me\0t\0')
  expect(decodeText(bytes, { damaged: 'refuse' })).toBe('met')
  expect(decodeText(bytes, { damaged: 'refuse', keepNul: true })).toBe('me\0t\0')
})
