import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MARKETPLACES } from '@shardwalk/actions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readMarketplaces } from './marketplaces.ts'

const GETGEMS = 'EQBYTuYbLf8INxFtD8tQeNk5ZLy-nAX9ahQbG_yl1qQ-GEMS'
const RAW = '0:584EE61B2DFF0837116D0FCB5078D93964BCBE9C05FD6A141B1BFCA5D6A43E18'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'marketplaces-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function read(content: unknown) {
  const file = join(folder, 'names.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readMarketplaces(file)
}

test('names of the operator add to the built-in ones, replace and remove them', () => {
  expect(readMarketplaces(undefined).get(RAW)).toBe('getgems')
  const own = `0:${'a1'.repeat(32)}`
  const names = read({ [own]: 'bazaar', [GETGEMS]: 'gems' })
  expect(names.get(own.toUpperCase())).toBe('bazaar')
  expect(names.get(RAW)).toBe('gems')
  expect(names.size).toBe(MARKETPLACES.size + 1)
  expect(read({ [GETGEMS]: '' }).has(RAW)).toBe(false)
})

test('a file that cannot be used is refused with the reason', () => {
  expect(() => read({ nowhere: 'x' })).toThrow(/MARKETPLACE_NAMES: .*"nowhere" is not an address/)
  expect(() => read({ [RAW]: 5 })).toThrow(/the name of 0:584E.* is not a text/)
  expect(() => read('[]')).toThrow(/not a JSON object/)
  expect(() => read('{')).toThrow(/MARKETPLACE_NAMES: .*JSON/)
  expect(() => readMarketplaces(join(folder, 'none'))).toThrow(/ENOENT/)
})
