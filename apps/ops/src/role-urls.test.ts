import type { Settings } from '@shardwalk/settings'
import { expect, test } from 'vitest'
import { urlOfRole } from './role-urls.ts'

const IN_URL = 'shardwalk_reader:a%20b%2Bc%25%40'
const IN_QUERY = 'user=shardwalk_reader&password=a%20b%2Bc%25%40'

test.each([
  [
    'postgres://owner:secret@db:5433/chain?sslmode=disable',
    `postgres://${IN_URL}@db:5433/chain?sslmode=disable`,
  ],
  ['postgres://db/chain?user=owner&password=secret', `postgres://${IN_URL}@db/chain`],
  ['postgres:///chain?host=/run', `postgres:///chain?host=%2Frun&${IN_QUERY}`],
  ['postgres:///chain?host=/run&user=owner', `postgres:///chain?host=%2Frun&${IN_QUERY}`],
])('the role and its password take the place of any other user: %s', (url, expected) => {
  const settings = { databaseReaderPassword: 'a b+c%@' } as Settings
  expect(urlOfRole({ url, embedded: false }, settings, 'reader')).toBe(expected)
})
