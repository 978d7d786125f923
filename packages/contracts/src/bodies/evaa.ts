import type { Slice } from '@shardwalk/cells'
import { bodyFields } from '../decoding/body-fields.ts'
import { EVAA } from '../opcodes/evaa.ts'

/** The last field is read to tell the layouts apart by their length. */
const LIQUIDATE_PAYLOAD = {
  borrower_address: 'address',
  liquidator_address: 'address',
  collateral_asset_id: 'bigint',
  include_user_code: 'number',
} as const

const header = bodyFields('evaa_user_header', { exec: 'number' })

/**
 * EVAA lending. Source: evaafi/sdk, src/api/parsers and src/contracts; evaafi/contracts, logic/tx-utils.fc
 * for what user contracts get and send.
 */
export const EVAA_BODIES = {
  supply: bodyFields('evaa_supply_master', { supply_amount: 'bigint', recipient_address: 'address' }),
  supplyPayload: bodyFields('evaa_supply_payload', { recipient_address: 'address' }),
  supplyUser: bodyFields('evaa_supply_user', { asset_id: 'bigint' }),
  supplySuccess: bodyFields('evaa_supply_success', { amount_supplied: 'bigint' }),
  withdraw: bodyFields('evaa_withdraw_master', {
    asset_id: 'bigint',
    amount: 'bigint',
    recipient_addr: 'address',
  }),
  withdrawCollateralized: bodyFields('evaa_withdraw_collateralized', { withdraw_amount_current: 'bigint' }),
  liquidate: bodyFields('evaa_liquidate_master', {
    borrower_address: 'address',
    liquidator_address: 'address',
    collateral_asset_id: 'bigint',
    liquidate_incoming_amount: 'bigint',
  }),
  /** The payload may come with a query id or without. */
  liquidatePayload: bodyFields('evaa_liquidate_payload', LIQUIDATE_PAYLOAD),
  liquidatePayloadWithQuery: bodyFields('evaa_liquidate_payload_with_query', LIQUIDATE_PAYLOAD),
  liquidateSatisfied: bodyFields('evaa_liquidate_satisfied', {
    liquidatable_amount: 'bigint',
    collateral_reward: 'bigint',
  }),
  liquidateUnsatisfied: bodyFields('evaa_liquidate_unsatisfied_report', { error: loadLiquidationError }),
} as const

/**
 * A message to or from a user contract: its opcode, which stands behind a header of versions, and the reader
 * after it. Takes the whole body.
 */
export function loadEvaaUserMessage(body: Slice): { readonly opcode: number; readonly body: Slice } {
  header(body)
  return { opcode: body.loadUint(32), body }
}

/** Why a user contract refused a withdrawal: the name that clients know, by the opcode of its answer. */
export const EVAA_WITHDRAW_FAILURES: ReadonlyMap<number | undefined, string> = new Map([
  [EVAA.withdrawLocked, 'withdraw_locked_excess'],
  [EVAA.withdrawNotCollateralized, 'withdraw_not_collateralized_excess'],
  [EVAA.withdrawMissingPrices, 'withdraw_missing_prices_excess'],
  [EVAA.withdrawExecutionCrashed, 'withdraw_execution_crashed'],
])

/**
 * What the versions of the contract write before an error: nothing, `forward:64 ^payload`, or `^payload
 * subaccount:16`. Behind its 32 bits is a multiple of 64.
 */
function loadLiquidationError(report: Slice): number {
  if (report.remainingRefs > 0) report.skip(report.remainingBits % 64 === 32 ? 64 : 16)
  return report.loadUint(32)
}

/**
 * Errors in the report of an unsatisfied liquidation. From 0xe001 on are those that the indexed API names and
 * no published contract sends.
 * Source: evaafi/contracts, contracts/constants/errors.fc
 */
export const EVAA_LIQUIDATION_ERRORS: Readonly<Record<number, string>> = {
  12529: 'master_liquidating_too_much',
  12784: 'user_withdraw_in_progress',
  12786: 'not_liquidatable',
  12787: 'min_collateral_not_satisfied',
  12788: 'user_not_enough_collateral',
  12789: 'user_liquidating_too_much',
  12790: 'master_not_enough_liquidity',
  12791: 'liquidation_prices_missing',
  12798: 'execution_crashed',
  57345: 'master_liquidating_too_much',
  57346: 'user_withdraw_in_progress',
  57347: 'not_liquidatable',
  57348: 'execution_crashed',
  57349: 'min_collateral_not_satisfied',
  57350: 'user_not_enough_collateral',
  57351: 'user_liquidating_too_much',
  57352: 'master_not_enough_liquidity',
  57353: 'liquidation_prices_missing',
}
