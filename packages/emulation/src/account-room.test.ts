import { expect, test } from 'vitest'
import { checkRoom } from './account-room.ts'

const currencies = (count: number, amount = 1n) =>
  new Map(Array.from({ length: count }, (_, id) => [id, amount] as const))

test.each([
  ['value.grams', { balance: 1n }, { value: (1n << 120n) - 2n }, { value: (1n << 120n) - 1n }],
  [
    'value.other: the account would have 513 extra currencies',
    { balance: 0n, extraCurrencies: currencies(500) },
    { valueExtraCurrencies: currencies(512) },
    { valueExtraCurrencies: currencies(513) },
  ],
  [
    'value.other',
    { balance: 0n, extraCurrencies: currencies(2) },
    { valueExtraCurrencies: currencies(2, (1n << 248n) - 2n) },
    { valueExtraCurrencies: currencies(2, (1n << 248n) - 1n) },
  ],
])('what an account cannot hold is refused by name: %s', (text, account, most, more) => {
  expect(() => checkRoom(account, most)).not.toThrow()
  expect(() => checkRoom(account, more)).toThrow(text)
})
