import { expect, test } from 'vitest'
import { rawAddressesIn } from './address.ts'

const ACCOUNT = `0:${'AB'.repeat(32)}`
const found = (value: unknown): number => rawAddressesIn(JSON.stringify(value)).length

test('addresses are values of their own, each found once', () => {
  expect(rawAddressesIn(JSON.stringify({ to: ACCOUNT, also: [ACCOUNT] }))).toEqual([
    { workchain: 0, hash: Buffer.alloc(32, 0xab) },
  ])
  expect(found([`-1:${'00'.repeat(32)}`, ACCOUNT, `${ACCOUNT}0`, 'none'])).toBe(2)
})

test('a comment is no address, nor is it searched for longer the more digits it has in a row', () => {
  expect(found({ comment: `send it to ${ACCOUNT}` })).toBe(0)
  // Trying each digit as the first would take an hour.
  expect(found({ comment: '1'.repeat(1_000_000) })).toBe(0)
})
