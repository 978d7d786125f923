import { expect, test } from 'vitest'
import { readSettings, type SettingsError } from './index.ts'

const problemOf = (env: Readonly<Record<string, string>>): string => {
  try {
    readSettings({ env })
    return ''
  } catch (error) {
    return (error as SettingsError).message
  }
}

test.each([
  'postgres://u:secret@h1:5432,h2:5432/chain',
  'postgres://u:secret@h1,h2/chain?target_session_attrs=read-write',
  'postgres://u:secret@h1/chain,postgres://u:secret@h2/chain',
])('%s is refused, because a process would wait for a host of that name', (url) => {
  const problem = problemOf({ DATABASE_URL: url })
  expect(problem).toMatch(/^DATABASE_URL: several servers in one URL are not supported/)
  expect(problem).not.toContain('secret')
})

test('a list has one URL for each server, and a comma may be in a password', () => {
  const several = 'postgres://u:secret@h1,h2/chain'
  expect(problemOf({ DATABASE_READ_URL: `postgres://u@h3/chain,${several}` })).toMatch(
    /^DATABASE_READ_URL: several servers in one URL/,
  )
  const env = {
    DATABASE_URL: 'postgres://u:a,b@h1/chain',
    DATABASE_READ_URL: 'postgres://u:a,b@h1/c,postgres://h2/c',
  }
  expect(readSettings({ env }).settings).toMatchObject({
    databaseUrl: env.DATABASE_URL,
    databaseReadUrl: ['postgres://u:a,b@h1/c', 'postgres://h2/c'],
  })
})
