import { expect, test } from 'vitest'
import { withUser } from './role-urls.ts'

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
  const reader = { user: 'shardwalk_reader', password: 'a b+c%@', schema: 'public' }
  expect(withUser(url, reader)).toBe(expected)
})

test.each([
  ['postgres://owner@db/chain', '-c search_path=ton'],
  ['postgres://owner@db/chain?options=-c%20work_mem%3D8MB', '-c work_mem=8MB -c search_path=ton'],
])('it finds the tables in another schema than public, with the options of %s', (url, expected) => {
  const changed = new URL(withUser(url, { user: 'shardwalk_reader', password: 'secret', schema: 'ton' }))
  expect(changed.searchParams.get('options')).toBe(expected)
})
