import { expect, test } from 'vitest'
import { isAwayForNow, lacksFiles } from './away-for-now.ts'

const failure = (message: string, facts: object) => Object.assign(new Error(message), facts)

test('what is repeated later is a failure of the server, or of one that its rows were moved to', () => {
  const refused = { code: 'ECONNREFUSED', syscall: 'connect' }
  expect(isAwayForNow(failure('connect ECONNREFUSED 127.0.0.1:5432', refused))).toBe(true)
  expect(isAwayForNow(failure('connect ENOENT /tmp/.s', { code: 'ENOENT', syscall: 'connect' }))).toBe(true)
  expect(isAwayForNow(failure('open blocks.csv', { code: 'ENOENT', syscall: 'open' }))).toBe(false)
  const archive = 'could not connect to server "shardwalk_archive_127.0.0.1_5433_archive"'
  expect(isAwayForNow(failure(archive, { code: '08001' }))).toBe(true)
  expect(isAwayForNow(failure('out of range', { code: '22003' }))).toBe(false)
})

test('a limit of open files is to be raised, whatever it was that could not be opened', () => {
  const connecting = failure('connect EMFILE 127.0.0.1:5432', { code: 'EMFILE', syscall: 'connect' })
  const opening = failure('EMFILE: too many open files, open', { code: 'EMFILE', syscall: 'open' })
  for (const error of [connecting, opening])
    expect([isAwayForNow(error), lacksFiles(error)]).toEqual([false, true])
  const system = { code: 'ENFILE', syscall: 'connect' }
  expect(isAwayForNow(failure('connect ENFILE', system))).toBe(true)
  expect(isAwayForNow(failure('ENFILE, open', { ...system, syscall: 'open' }))).toBe(false)
})
