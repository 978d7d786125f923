import * as z from 'zod'
import {
  AccountAddress,
  BlockId,
  bytes,
  digits,
  ExtraCurrency,
  hashOrEmpty,
  int,
  object,
  TransactionId,
  text,
  wide,
} from './parts.ts'

// Accounts, their states and wallets.

/** As tonlib: an account that does not exist, or has no code, is `uninitialized`. */
export const accountStatus = z.enum(['uninitialized', 'active', 'frozen'])
const balances = { balance: digits, extra_currencies: z.array(ExtraCurrency) }

/** `code` and `data`: bags of cells in base64, empty if there are none. Balance in nanotons. */
export const AddressInformation = object('AddressInformation', 'raw.fullAccountState', {
  ...balances,
  code: bytes,
  data: bytes,
  last_transaction_id: TransactionId,
  block_id: BlockId,
  frozen_hash: hashOrEmpty,
  sync_utime: int,
  state: accountStatus,
  suspended: z.boolean().optional(),
})

const wallet = (id: string, type: string, shape: z.ZodRawShape = { seqno: int }) =>
  object(id, type, { wallet_id: int, ...shape })
const channelSums = { A: wide, B: wide }
const signed = { signed_A: z.boolean(), signed_B: z.boolean() }
const channelState = { ...signed, min_A: wide, min_B: wide, expire_at: int }
const AccountState = z
  .union([
    object('AccountStateRaw', 'raw.accountState', { code: bytes, data: bytes, frozen_hash: hashOrEmpty }),
    wallet('AccountStateWalletV3', 'wallet.v3.accountState'),
    wallet('AccountStateWalletV4', 'wallet.v4.accountState'),
    wallet('AccountStateWalletHighloadV1', 'wallet.highload.v1.accountState'),
    wallet('AccountStateWalletHighloadV2', 'wallet.highload.v2.accountState', {}),
    wallet('AccountStateDns', 'dns.accountState', {}),
    wallet('AccountStateRWallet', 'rwallet.accountState', {
      seqno: int,
      unlocked_balance: wide,
      config: object('RWalletConfig', 'rwallet.config', {
        start_at: int,
        limits: z.array(object('RWalletLimit', 'rwallet.limit', { seconds: int, value: wide })),
      }),
    }),
    object('AccountStatePChan', 'pchan.accountState', {
      config: object('PChanConfig', 'pchan.config', {
        alice_public_key: text,
        bob_public_key: text,
        alice_address: AccountAddress,
        bob_address: AccountAddress,
        init_timeout: int,
        close_timeout: int,
        channel_id: wide,
      }),
      state: z
        .union([
          object('PChanStateInit', 'pchan.stateInit', { ...channelState, ...channelSums }),
          object('PChanStateClose', 'pchan.stateClose', { ...channelState, ...channelSums }),
          object('PChanStatePayout', 'pchan.statePayout', channelSums),
        ])
        .meta({ id: 'PChanState' }),
      description: text,
    }),
    object('AccountStateUninited', 'uninited.accountState', { frozen_hash: hashOrEmpty }),
  ])
  .meta({ id: 'AccountState' })

/** The state in the form of its kind of wallet, or raw. `address`: user-friendly. */
export const ExtendedAddressInformation = object('ExtendedAddressInformation', 'fullAccountState', {
  address: AccountAddress,
  ...balances,
  last_transaction_id: TransactionId,
  block_id: BlockId,
  sync_utime: int,
  account_state: AccountState,
  revision: int,
})

/** Without the optional members if the account is not a known wallet. */
export const WalletInformation = object('WalletInformation', 'ext.accounts.walletInformation', {
  wallet: z.boolean(),
  balance: digits,
  account_state: accountStatus,
  last_transaction_id: TransactionId,
  wallet_type: text.optional(),
  seqno: int.optional(),
  wallet_id: int.optional(),
  is_signature_allowed: z.boolean().optional(),
})
