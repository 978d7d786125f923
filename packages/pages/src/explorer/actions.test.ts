import { expect, test } from 'vitest'
import { summaryOf } from './actions.tsx'
import type { Action } from './replies.ts'

const [TOKEN, OTHER] = ['A', 'B'].map((digit) => `0:${digit.repeat(64)}`)
const amountsOf = (type: string, details: object) =>
  summaryOf({ type, details } as Pick<Action, 'type' | 'details'>).amounts

test.each([
  ['jetton_transfer', { asset: TOKEN }, TOKEN],
  ['vesting_send_message', {}, null],
  ['stake_deposit', { asset: TOKEN }, null],
  ['stake_withdrawal', { asset: TOKEN }, null],
  ['stake_deposit', { asset: TOKEN, source_asset: OTHER }, OTHER],
  ['coffee_create_pool', { provided_asset: OTHER, asset_1: OTHER }, OTHER],
  ['evaa_liquidate', { asset: null, is_known_asset: true }, null],
  ['evaa_withdraw', { asset: null, fail_reason: null }, null],
])('the amount of %s with %j is of %s', (type, details, asset) => {
  expect(amountsOf(type, { amount: '5', ...details })).toEqual([{ amount: '5', asset }])
})

test.each([
  ['tgbtc_burn_fallback', { asset: null }],
  ['jetton_transfer', { asset: null }],
  ['jvault_unstake_request', { asset: null }],
  ['evaa_liquidate', { asset: null, is_known_asset: false }],
  ['evaa_withdraw', { asset: null, fail_reason: 'withdraw_locked_excess' }],
])('the amount of %s in an unknown token is not shown as TON', (type, details) => {
  expect(amountsOf(type, { amount: '5', ...details })).toEqual([])
})
