import type { NominatorPool } from '@shardwalk/contracts'
import { formatRawAddress } from '@shardwalk/model'
import { type RoleWriters, roleRow } from './role-row.ts'

/** Rows of pools of nominators and of decentralised exchanges. */
export const POOL_ROWS: RoleWriters<'nominator_pool' | 'dedust_pool' | 'stonfi_pool'> = {
  nominator_pool: (found, { key, idOf }) =>
    roleRow('nominator_pools', {
      ...key,
      validator_id: idOf(found.validator),
      state: found.state,
      nominators_count: found.nominatorsCount,
      validator_amount: String(found.validatorAmount),
      stake_amount_sent: String(found.stakeAmountSent),
      nominators: found.nominators.map(nominatorJson),
    }),
  dedust_pool: (found, { key, maybeId }) =>
    roleRow('dex_pools', {
      ...key,
      asset_1_id: maybeId(found.assets[0]),
      asset_2_id: maybeId(found.assets[1]),
      router_id: null,
      dex: 'dedust',
      is_stable: found.isStable,
      reserve_1: String(found.reserves[0]),
      reserve_2: String(found.reserves[1]),
      fee: found.tradeFee,
    }),
  stonfi_pool: (found, { key, idOf, maybeId }) =>
    roleRow('dex_pools', {
      ...key,
      asset_1_id: idOf(found.tokens[0]),
      asset_2_id: idOf(found.tokens[1]),
      router_id: maybeId(found.router),
      dex: found.version === 1 ? 'stonfi_v1' : 'stonfi_v2',
      is_stable: null,
      reserve_1: String(found.reserves[0]),
      reserve_2: String(found.reserves[1]),
      fee: Number(found.lpFee + found.protocolFee) / BASIS_POINTS,
    }),
}

/** Fees of STON.fi are in hundredths of a percent. */
const BASIS_POINTS = 10_000

const nominatorJson = (one: NominatorPool['nominators'][number]) => ({
  address: formatRawAddress(one.address),
  amount: String(one.amount),
  pending_deposit: String(one.pendingDeposit),
  withdraw_requested: one.withdrawRequested,
})
