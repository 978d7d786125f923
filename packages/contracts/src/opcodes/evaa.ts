import { opcode } from './declared.ts'

/**
 * EVAA lending. Source: evaafi/sdk, src/constants/general; answers as the SDK parses them.
 * The messages between master and user contracts carry a header before the opcode.
 */
export const EVAA = {
  supply: opcode('evaa_supply_master'),
  withdraw: opcode('evaa_withdraw_master'),
  liquidate: opcode('evaa_liquidate_master'),
  /** Master to user contract. */
  supplyUser: opcode('evaa_supply_user'),
  supplySuccess: opcode('evaa_supply_success'),
  supplyFail: opcode('evaa_supply_fail'),
  /** Master to user contract. */
  withdrawUser: opcode('evaa_withdraw_user'),
  /** User contract to master. */
  withdrawCollateralized: opcode('evaa_withdraw_collateralized'),
  withdrawSuccess: opcode('evaa_withdraw_success'),
  withdrawFail: opcode('evaa_withdraw_fail'),
  withdrawNoFundsExcess: opcode('evaa_withdraw_no_funds_excess'),
  withdrawLocked: opcode('evaa_withdraw_locked_excess'),
  withdrawNotCollateralized: opcode('evaa_withdraw_not_collateralized_excess'),
  withdrawMissingPrices: opcode('evaa_withdraw_missing_prices_excess'),
  withdrawExecutionCrashed: opcode('evaa_withdraw_execution_crashed'),
  /** Master to user contract. */
  liquidateUser: opcode('evaa_liquidate_user'),
  /** User contract to master. */
  liquidateSatisfied: opcode('evaa_liquidate_satisfied'),
  /** User contract to master. */
  liquidateUnsatisfied: opcode('evaa_liquidate_unsatisfied'),
  /** Master to user contract. */
  liquidateSuccess: opcode('evaa_liquidate_success'),
  /** Master to the liquidator. */
  liquidateSuccessReport: opcode('evaa_liquidate_success_report'),
  liquidateFail: opcode('evaa_liquidate_fail'),
} as const
