import { expect, test } from 'vitest'
import { isDatabaseAway } from './database-away.ts'

const withCode = (code: string) => Object.assign(new Error('failed'), { code })

test.each([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
  ...['57P01', '08006', '53300'],
])('a database that fails with %s is away', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(true)
})

test.each(['42P01', '23505', 'EACCES'])('one that fails with %s is not', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(false)
})
