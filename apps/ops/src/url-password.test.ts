import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { withPassword } from './url-password.ts'

const folder = mkdtempSync(join(tmpdir(), 'shardwalk-pgpass-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function passwordFile(text: string, mode = 0o600): { readonly PGPASSFILE: string } {
  const file = join(folder, 'pgpass')
  writeFileSync(file, text)
  chmodSync(file, mode)
  return { PGPASSFILE: file }
}

test('a password in the URL counts, then PGPASSWORD, then the first line of the file that is meant', () => {
  const file = passwordFile(
    '# old:5432:archive:archive:comment\n' +
      'old:5433:archive:archive:other port\n' +
      'old:5432:archive:archive:p@ss\\:wo\\\\rd\n' +
      '*:*:*:archive:any\n' +
      'localhost:5432:archive:owner:socket\n' +
      '2001\\:db8\\:\\:1:5432:archive:six:v6\n',
  )
  const found = (url: string, env = {}) => decodeURIComponent(new URL(withPassword(url, env)).password)
  expect(found('postgres://archive:own@old/archive', { ...file, PGPASSWORD: 'env' })).toBe('own')
  expect(found('postgres://archive@old/archive', { ...file, PGPASSWORD: 'env' })).toBe('env')
  expect(found('postgres://archive@old/archive', file)).toBe('p@ss:wo\\rd')
  expect(found('postgres://archive@old:5433/archive', file)).toBe('other port')
  expect(found('postgres://archive@new/else', file)).toBe('any')
  expect(found('postgres://owner@x/archive?host=/run/postgresql', file)).toBe('socket')
  expect(found('postgres://six@[2001:db8::1]/archive', file)).toBe('v6')
  expect(found('postgres://owner@old/archive', file)).toBe('')
})

test('a file that others may read, or that is not there though it is named, is an error', () => {
  const url = 'postgres://archive@old/archive'
  expect(() => withPassword(url, passwordFile('*:*:*:*:x', 0o644))).toThrow('chmod 600')
  expect(() => withPassword(url, { PGPASSFILE: join(folder, 'none') })).toThrow('PGPASSFILE cannot be read')
})
