import { expect, test } from 'vitest'
import { MARKETPLACES, readMarketplaces } from './marketplaces.ts'

const GETGEMS = 'EQBYTuYbLf8INxFtD8tQeNk5ZLy-nAX9ahQbG_yl1qQ-GEMS'
const RAW = '0:584EE61B2DFF0837116D0FCB5078D93964BCBE9C05FD6A141B1BFCA5D6A43E18'

const read = (names: unknown) => readMarketplaces(JSON.stringify(names))

test('names of the operator add to the built-in ones, replace and remove them', () => {
  expect(MARKETPLACES.get(RAW)).toBe('getgems')
  const own = `0:${'a1'.repeat(32)}`
  const names = read({ [own]: 'bazaar', [GETGEMS]: 'gems' })
  expect(names.get(own.toUpperCase())).toBe('bazaar')
  expect(names.get(RAW)).toBe('gems')
  expect(names.size).toBe(MARKETPLACES.size + 1)
  expect(read({ [GETGEMS]: '' }).has(RAW)).toBe(false)
})

test('names that cannot be used are refused with the reason', () => {
  expect(() => read({ nowhere: 'x' })).toThrow('"nowhere" is not an address')
  expect(() => read({ [RAW]: 5 })).toThrow(/the name of 0:584E.* is not a text/)
  expect(() => read([])).toThrow(/not a JSON object/)
  expect(() => readMarketplaces('{')).toThrow(/JSON/)
})
