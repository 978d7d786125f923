import { Address } from '@ton/core'
import { expect, test } from 'vitest'
import { toSearch } from './query.ts'

const RAW = '0:9DE1220F8BEE4530D23503FEE44CED5F98A555D650937349FD41A45C0013D998'

test('addresses, hashes and numbers are written as the server reads them, whatever form they have', () => {
  const hash = Buffer.alloc(32, 0xfb)
  const search = toSearch({
    account: Address.parse(RAW),
    hash,
    start_lt: 62_000_000_000_002n,
    limit: 10,
    include_actions: true,
    trace_id: `${hash.toString('base64')}`,
  })
  expect(search.toString()).toBe(
    [
      `account=${encodeURIComponent(RAW.toLowerCase())}`,
      `hash=${'fb'.repeat(32)}`,
      'start_lt=62000000000002',
      'limit=10',
      'include_actions=true',
      `trace_id=${encodeURIComponent(hash.toString('base64'))}`,
    ].join('&'),
  )
})

test('a list repeats its name, what is undefined is left out, null is written', () => {
  expect(toSearch({ address: ['a', 'b'], cursor: undefined, source: null }).toString()).toBe(
    'address=a&address=b&source=null',
  )
})

test('an empty list is refused, because without it the rows of everybody would be asked for', () => {
  expect(() => toSearch({ owner_address: [] })).toThrow('owner_address is an empty list')
})
