import { Address } from '@ton/core'
import { expect, test } from 'vitest'
import { toJsonValue, toSearch } from './query.ts'

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

test('parameters of API v2 take the same forms, also in stacks', () => {
  const hash = Buffer.alloc(32, 0xfb)
  const params = {
    address: Address.parse(RAW),
    ...{
      hash: new Uint8Array(hash),
      boc: hash,
      lt: 2n ** 63n - 1n,
      limit: 10,
      to_lt: undefined,
      seqno: null,
    },
    stack: [
      ['num', -5n],
      ['slice', { bytes: hash }],
    ],
  }
  expect(JSON.parse(JSON.stringify(toJsonValue(params)))).toEqual({
    address: RAW.toLowerCase(),
    ...{ hash: hash.toString('base64'), boc: hash.toString('base64') },
    ...{ lt: '9223372036854775807', limit: 10, seqno: null },
    stack: [
      ['num', '-5'],
      ['slice', { bytes: hash.toString('base64') }],
    ],
  })
})
