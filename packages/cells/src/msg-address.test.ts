import { expect, test } from 'vitest'
import { Builder } from './builder.ts'
import { loadStdAddress } from './msg-address.ts'

const ADDRESS = { workchain: -1, hash: Buffer.alloc(32, 0x3f) }

test('an empty address in the last two bits of a cell is read as none', () => {
  const slice = new Builder().storeUint(0, 2).endCell().slice()
  expect(loadStdAddress(slice)).toBeUndefined()
  expect(slice.isEmpty).toBe(true)
})

test('a standard address is read, and every other form is skipped', () => {
  const extern = new Builder().storeUint(0b01, 2).storeUint(8, 9).storeUint(0xab, 8)
  const slice = new Builder().storeBuilder(extern).storeAddress(ADDRESS).endCell().slice()
  expect(loadStdAddress(slice)).toBeUndefined()
  expect(loadStdAddress(slice)).toEqual(ADDRESS)
})
