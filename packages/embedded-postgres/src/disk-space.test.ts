import { expect, test } from 'vitest'
import { isDiskFull, isReadOnly, lacksSpace, takesNoWrites } from './disk-space.ts'
import { DiskFull, EmbeddedPostgresError } from './errors.ts'

test.each([
  ['of the server', Object.assign(new Error('could not extend file "base/1/2"'), { code: '53100' })],
  ['of this process', Object.assign(new Error('write'), { code: 'ENOSPC' })],
  ['of a quota', Object.assign(new Error('write'), { code: 'EDQUOT' })],
  [
    'in what initdb wrote',
    new EmbeddedPostgresError('initdb failed: could not write: No space left on device'),
  ],
  ['as a cause', new Error('not started', { cause: Object.assign(new Error('x'), { code: 'ENOSPC' }) })],
  ['found before a start', new DiskFull('/data')],
])('a full disk %s is recognised', (_, error) => expect(isDiskFull(error)).toBe(true))

test.each([
  ['of this process', Object.assign(new Error('open'), { code: 'EROFS' })],
  ['of the server', new EmbeddedPostgresError('could not open file "postmaster.pid": Read-only file system')],
])('a read-only file system %s takes no writes, and is not full', (_, error) => {
  expect(takesNoWrites(error)).toBe(true)
  expect([isReadOnly(error), isDiskFull(error)]).toEqual([true, false])
})

test('other failures are not mistaken for a full disk', async () => {
  expect(isDiskFull(Object.assign(new Error('terminating connection'), { code: '57P01' }))).toBe(false)
  expect(isDiskFull(undefined)).toBe(false)
  expect(takesNoWrites(Object.assign(new Error('open'), { code: 'EACCES' }))).toBe(false)
  expect(await lacksSpace('/nowhere/at/all')).toBe(false)
})
