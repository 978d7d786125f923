import type { AccountId } from '@shardwalk/model'
import {
  bool,
  bytea,
  defineTable,
  float8,
  int4,
  int8,
  int8Array,
  jsonb,
  numeric,
  text,
} from './define-table.ts'
import { ROLE_KEY, ROW_NUMBER } from './role-columns.ts'

/** Written by the examination of contracts; read by the API. */
export const multisigWallets = defineTable('multisig_wallets', {
  comment: 'One row per multisig wallet (v2).',
  primaryKey: ['account_id'],
  indexes: {
    multisig_wallets_row_no: '(row_no)',
    multisig_wallets_proposers: 'gin (proposers)',
    multisig_wallets_signers: 'gin (signers)',
  },
  columns: {
    ...ROLE_KEY,
    ...ROW_NUMBER,
    threshold: int4('Approvals that an order needs.'),
    next_order_seqno: numeric('Number of the next order.'),
    signers: int8Array<AccountId>('Signers, by index.'),
    proposers: int8Array<AccountId>('Proposers, by index.'),
  },
})

/** Written by the examination of contracts; read by the API and the classifier. */
export const multisigOrders = defineTable('multisig_orders', {
  comment: 'One row per order that its multisig confirms.',
  primaryKey: ['account_id'],
  indexes: {
    multisig_orders_row_no: '(row_no)',
    multisig_orders_multisig: '(multisig_id)',
  },
  columns: {
    ...ROLE_KEY,
    ...ROW_NUMBER,
    multisig_id: int8<AccountId>('The multisig wallet.'),
    expiration_date: int8('Unix seconds.'),
    threshold: int4('Approvals that it needs.'),
    approvals_num: int4('Approvals that it has.'),
    sent_for_execution: bool(
      'Enough signers have approved, and the order has sent itself to the multisig for execution.',
    ),
    order_seqno: numeric('Number of the order.'),
    approvals_mask: numeric('Bit i: the i-th signer approved.'),
    signers: int8Array<AccountId>('Signers, by index.'),
    order_boc: bytea('What it executes, a bag of cells.'),
  },
})

/** Written by the examination of contracts; read by the API. */
export const vestingContracts = defineTable('vesting_contracts', {
  comment: 'One row per vesting wallet.',
  primaryKey: ['account_id'],
  indexes: {
    vesting_contracts_row_no: '(row_no)',
    vesting_contracts_owner: '(owner_id)',
    vesting_contracts_sender: '(sender_id)',
    vesting_contracts_whitelist: 'gin (whitelist)',
  },
  columns: {
    ...ROLE_KEY,
    ...ROW_NUMBER,
    sender_id: int8<AccountId>('Account that deposited the amount.'),
    owner_id: int8<AccountId>('Beneficiary.'),
    start_time: int8('Unix seconds.'),
    total_duration: int8('Seconds.'),
    unlock_period: int8('Seconds between two unlocks.'),
    cliff_duration: int8('Seconds until the first unlock.'),
    total_amount: numeric('Nanotons.'),
    whitelist: int8Array<AccountId>('Accounts that locked coins may be sent to.'),
  },
})

/** One nominator: raw address, decimal amounts in nanotons. */
export interface NominatorJson {
  readonly address: string
  readonly amount: string
  readonly pending_deposit: string
  readonly withdraw_requested: boolean
}

/** Written by the examination of contracts; read by the classifier. */
export const nominatorPools = defineTable('nominator_pools', {
  comment: 'One row per nominator pool.',
  primaryKey: ['account_id'],
  columns: {
    ...ROLE_KEY,
    validator_id: int8<AccountId>('The validator.'),
    state: int4('0: no stake at the elector, 1: it was sent, 2: it was accepted.'),
    nominators_count: int4('Nominators.'),
    validator_amount: numeric("The validator's own amount, nanotons."),
    stake_amount_sent: numeric('Stake at the elector, nanotons.'),
    nominators: jsonb<readonly NominatorJson[]>('Addresses and amounts of the nominators.'),
  },
})

/** Written by the examination of contracts; read by the classifier and analytics. */
export const dexPools = defineTable('dex_pools', {
  comment: 'One row per liquidity pool.',
  primaryKey: ['account_id'],
  columns: {
    ...ROLE_KEY,
    asset_1_id: int8<AccountId>(
      'Master (DeDust) or wallet (STON.fi) of the first asset; null: TON.',
    ).orNull(),
    asset_2_id: int8<AccountId>(
      'Master (DeDust) or wallet (STON.fi) of the second asset; null: TON.',
    ).orNull(),
    router_id: int8<AccountId>('STON.fi: the router.').orNull(),
    dex: text<'dedust' | 'stonfi_v1' | 'stonfi_v2'>('The exchange: `dedust`, `stonfi_v1` or `stonfi_v2`.'),
    is_stable: bool('DeDust: the pool is stable; null: another exchange.').orNull(),
    reserve_1: numeric('Of the first asset, in its smallest unit.'),
    reserve_2: numeric('Of the second asset, in its smallest unit.'),
    fee: float8('Fee as a fraction of the amount.'),
  },
})
