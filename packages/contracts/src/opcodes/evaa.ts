import { opcode } from './declared.ts'

/**
 * EVAA lending. Source: evaafi/sdk, src/constants/general; answers of user contracts were read from mainnet messages.
 * The messages between master and user contracts carry a header before the opcode.
 */
export const EVAA = {
  supply: opcode('evaa_supply_master'),
  withdraw: opcode('evaa_withdraw_master'),
  liquidate: opcode('evaa_liquidate_master'),
  /** Master to user contract. */
  supplyUser: opcode('evaa_supply_user'),
  supplySuccess: 0x0000011a,
  supplyFail: 0x0000011f,
  /** Master to user contract. */
  withdrawUser: opcode('evaa_withdraw_user'),
  /** User contract to master. */
  withdrawCollateralized: opcode('evaa_withdraw_collateralized'),
  withdrawSuccess: 0x0000211a,
  withdrawFail: 0x0000211f,
  withdrawNoFundsExcess: 0x00211fe8,
  withdrawLocked: 0x000021e6,
  withdrawNotCollateralized: 0x000021e7,
  withdrawMissingPrices: 0x000021e8,
  withdrawExecutionCrashed: 0x000021ec,
  /** Master to user contract. */
  liquidateUser: opcode('evaa_liquidate_user'),
  /** User contract to master. */
  liquidateSatisfied: 0x00000311,
  /** User contract to master. */
  liquidateUnsatisfied: 0x0000031f,
  /** Master to user contract. */
  liquidateSuccess: 0x0000311a,
  /** Master to the liquidator. */
  liquidateSuccessReport: 0x0000311d,
  liquidateFail: 0x0000311f,
} as const
