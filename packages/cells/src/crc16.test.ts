import { expect, test } from 'vitest'
import { crc16 } from './crc16.ts'

test('the check value of CRC-16/XMODEM is 31c3', () => {
  expect(crc16(Buffer.from('123456789'))).toBe(0x31c3)
})

test('a range of bytes has the checksum of those bytes alone', () => {
  expect(crc16(Buffer.from('ab123456789c'), 2, 11)).toBe(0x31c3)
})
