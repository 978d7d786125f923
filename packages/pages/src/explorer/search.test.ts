import { expect, test } from 'vitest'
import { readSearch } from './search.ts'

const RAW = '0:B113A994B5024A16719F69139328EB759596C38A25F59028B146FECDC3621DFE'
const HEX = '2db05b063f1ecf971a5695d0e7a05c9c0cd1dec7db8583ea1e9ffb9fffc9854e'
const BASE64 = Buffer.from(HEX, 'hex').toString('base64')
const MASTERCHAIN = { kind: 'block', workchain: -1, shard: '8000000000000000' }
const read = (text: string) => readSearch(text, { testOnly: false })

test.each([
  RAW,
  RAW.toLowerCase(),
  'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
  'UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p',
  ' EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id/sDs ',
  'https://example.org/address/EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs#transactions',
])('%s is an account', (text) => {
  expect(read(text)).toEqual({ kind: 'account', address: RAW, isOfOtherNetwork: false })
})

test('an address of the other network is noticed', () => {
  const test = 'kQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_ntm'
  expect(read(test)).toMatchObject({ kind: 'account', isOfOtherNetwork: true })
  expect(readSearch(test, { testOnly: true })).toMatchObject({ isOfOtherNetwork: false })
})

test.each([
  HEX,
  `0x${HEX.toUpperCase()}`,
  BASE64,
  BASE64.slice(0, 43),
  Buffer.from(HEX, 'hex').toString('base64url'),
])('%s is a hash', (text) => {
  expect(read(text)).toEqual({ kind: 'hash', hash: HEX })
})

test.each([
  ['76800001', { ...MASTERCHAIN, seqno: 76_800_001 }],
  ['76,800,001', { ...MASTERCHAIN, seqno: 76_800_001 }],
  ['(-1,8000000000000000,76800001)', { ...MASTERCHAIN, seqno: 76_800_001 }],
  [`(-1,8000000000000000,7):${HEX}:${HEX}`, { ...MASTERCHAIN, seqno: 7 }],
  ['0:a000000000000000:123', { kind: 'block', workchain: 0, shard: 'a000000000000000', seqno: 123 }],
])('%s is a block', (text, block) => {
  expect(read(text)).toEqual(block)
})

test.each(['name.ton', 'sub.name.t.me', 'имя.ton'])('%s is a domain', (text) => {
  expect(read(text)).toEqual({ kind: 'domain', domain: text })
})

test.each([
  '',
  '   ',
  'nonsense',
  '<script>',
  '../../etc',
  'x'.repeat(10_000),
  `${HEX}0`,
  '99999999999',
  'https://%',
])('%j is nothing', (text) => {
  expect(read(text)).toEqual({ kind: 'nothing' })
})
