import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MARKETPLACES } from '@shardwalk/actions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './config.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const marketplacesOf = (file?: string) =>
  readConfig({ DATABASE_URL: 'postgres://host/db', ...(file && { MARKETPLACE_NAMES: file }) }).marketplaces

test('names of marketplaces are read from the file of the operator, if there is one', () => {
  expect(marketplacesOf()).toBe(MARKETPLACES)
  const file = join(folder, 'names.json')
  const own = `0:${'A1'.repeat(32)}`
  writeFileSync(file, JSON.stringify({ [own]: 'bazaar' }))
  expect(marketplacesOf(file).get(own)).toBe('bazaar')
})

test('a file of marketplaces that cannot be used is refused with setting, name and reason', () => {
  const file = join(folder, 'wrong.json')
  writeFileSync(file, '{ "nowhere": "x" }')
  expect(() => marketplacesOf(file)).toThrow(`MARKETPLACE_NAMES: ${file}: "nowhere" is not an address`)
  expect(() => marketplacesOf(join(folder, 'none'))).toThrow(/MARKETPLACE_NAMES: .*ENOENT/)
})
