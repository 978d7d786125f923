import { expect, test } from 'vitest'
import { isDamaged } from './damaged-database.ts'

const refused = (code: string, message: string, detail?: string) =>
  new Error('a command', { cause: Object.assign(new Error(message), { code, detail }) })

/** Texts of PostgreSQL 18. */
test.each([
  ['58P01', 'could not open file "base/16385/1249": No such file or directory'],
  ['58P01', 'could not open file "pg_xact/0000": No such file or directory'],
  ['3D000', 'database "x" does not exist', 'The database subdirectory "base/16385" is missing.'],
  ['XX001', 'invalid page in block 3 of relation base/16385/16391'],
  ['XX002', 'index "a" contains unexpected zero page at block 0'],
])('a database is damaged if PostgreSQL says %s: %s', (code, message, detail?: string) => {
  expect(isDamaged(refused(code, message, detail))).toBe(true)
})

test.each([
  ['58P01', 'could not access file "$libdir/postgis-3": No such file or directory'],
  ['3D000', 'database "x" does not exist'],
  ['XX000', 'cache lookup failed'],
])('it is not if it says %s: %s', (code, message) => {
  expect(isDamaged(refused(code, message))).toBe(false)
})
