import { expect, test } from 'vitest'
import * as z from 'zod'
import { BalanceChangesReply, toBalanceChangesReply } from './balance-changes.ts'
import { legacyReplies } from './legacy.ts'

const AMOUNT = 20_000_000_000_000_000n

test('changes of more than 2^53 nanotons and ids of wallets v5 beta are as the description declares', () => {
  const ton = [{ account: `0:${'0'.repeat(64)}`, change: String(AMOUNT), fees: null }]
  const reply = JSON.parse(toBalanceChangesReply({ ton, jettons: new Map() }))
  expect(BalanceChangesReply.parse(reply)).toEqual(reply)
  const { wallet_id: id } = legacyReplies.WalletInformation.shape
  expect(id.parse(2 ** 79)).toBe(2 ** 79)
  for (const part of [BalanceChangesReply.shape.changes, id])
    expect(JSON.stringify(z.toJSONSchema(part))).toMatch(/^(?!.*"maximum").*"type":"integer"/)
})
