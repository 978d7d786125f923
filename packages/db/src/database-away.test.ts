import { expect, test } from 'vitest'
import { exhaustedBy, hasNoConnection, isDatabaseAway } from './database-away.ts'

const withCode = (code: string) => Object.assign(new Error('failed'), { code })

test.each([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
  ...['57P01', '08006', '53300', 'EMFILE'],
  ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'SELF_SIGNED_CERT_IN_CHAIN'],
])('a database that fails with %s is away', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(true)
})

test.each(['42P01', '23505', 'EACCES'])('one that fails with %s is not', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(false)
})

test.each(['EADDRNOTAVAIL', 'ENOBUFS', 'EACCES', 'EPERM', 'EAGAIN', 'ENOENT', 'EMFILE'])(
  'one to which no connection can be made, for %s, is away, for names with several addresses too',
  (code) => {
    const failed = Object.assign(withCode(code), { syscall: 'connect' })
    expect(isDatabaseAway(failed)).toBe(true)
    expect(isDatabaseAway(Object.assign(new AggregateError([failed, failed]), { code }))).toBe(true)
    expect(isDatabaseAway(Object.assign(withCode('EACCES'), { syscall: 'open' }))).toBe(false)
  },
)

test('a user who is refused has no connection, a statement that is refused has one', () => {
  const refusal = (code: string, severity: string) => Object.assign(withCode(code), { severity })
  expect(hasNoConnection(refusal('28P01', 'FATAL'))).toBe(true)
  expect(isDatabaseAway(refusal('28P01', 'FATAL'))).toBe(false)
  expect(hasNoConnection(refusal('42501', 'ERROR'))).toBe(false)
  expect(hasNoConnection(withCode('ECONNREFUSED'))).toBe(true)
})

test('a server without disk space or memory is not away, and says what it lacks', () => {
  const errors = ['53100', '53200', '53300', '42P01'].map(withCode)
  expect(errors.map(exhaustedBy)).toEqual(['disk space', 'memory', undefined, undefined])
  expect(errors.map(isDatabaseAway)).toEqual([false, false, true, false])
  expect(exhaustedBy(undefined)).toBeUndefined()
})
