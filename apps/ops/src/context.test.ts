import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readProcessSettings } from './context.ts'

const before = process.cwd()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shardwalk-dotenv-'))
  process.chdir(folder)
})
afterEach(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true, force: true })
})

const read = () => readProcessSettings(new Map(), {})

test('.env may come from an editor of Windows', () => {
  writeFileSync('.env', '\uFEFFNETWORK=sample\r\nAPI_PORT="8099"\r\n')
  expect(read().settings).toMatchObject({ network: 'sample', apiPort: 8099 })
})

test('a folder .env is no file of settings, and a file that cannot be read is named', () => {
  mkdirSync('.env')
  expect(read().given.size).toBe(0)
  rmSync('.env', { recursive: true })
  symlinkSync('.env', join(folder, '.env'))
  expect(read).toThrow(/^\.env cannot be read: ELOOP/)
})
