import type { AccountId } from '@shardwalk/model'

/** Decimal text: 256-bit numbers of contracts. */
export type Numeric = string

/** Keys that every row of a role has: whose it is, and the state that it tells of (lt of the account's last transaction). */
export interface RoleKey {
  readonly account_id: AccountId
  readonly lt: bigint
  readonly code_hash: Buffer | null
  readonly data_hash: Buffer | null
}

/** TEP-64 attributes by name. */
export type ContentJson = Readonly<Record<string, string>>

export interface JettonMasterRow extends RoleKey {
  readonly admin_id: AccountId | null
  readonly mintable: boolean
  readonly total_supply: Numeric
  readonly content: ContentJson | null
  readonly wallet_code_hash: Buffer
  /** Of mintless jettons: hash of the root of the list of owners. */
  readonly airdrop_root: Buffer | null
}

/** Without `code_hash`, and of lt 0: nobody deployed it yet, a list of owners tells of it. */
export interface JettonWalletRow extends RoleKey {
  readonly owner_id: AccountId
  readonly jetton_id: AccountId
  readonly is_claimed: boolean | null
  readonly balance: Numeric
}

export interface NftCollectionRow extends RoleKey {
  readonly owner_id: AccountId | null
  readonly next_item_index: Numeric
  readonly content: ContentJson | null
}

export interface NftItemRow extends RoleKey {
  readonly collection_id: AccountId | null
  readonly owner_id: AccountId | null
  /** The seller while the owner is a sale or auction of this item, else the owner. */
  readonly real_owner_id: AccountId | null
  readonly init: boolean
  readonly item_index: Numeric
  readonly content: ContentJson | null
}

/** Amounts nanotons; with `is_factor` the fee and the royalty are factors of 100,000. */
export interface NftSaleRow extends RoleKey {
  readonly nft_id: AccountId
  readonly nft_owner_id: AccountId | null
  readonly marketplace_id: AccountId
  readonly fee_address_id: AccountId
  readonly royalty_address_id: AccountId
  readonly created_at: bigint
  readonly sold_at: bigint | null
  readonly is_complete: boolean
  readonly is_factor: boolean
  readonly full_price: Numeric
  readonly marketplace_fee: Numeric
  readonly royalty: Numeric
  readonly jetton_prices: Readonly<Record<string, string>> | null
}

export interface NftAuctionRow extends RoleKey {
  readonly nft_id: AccountId
  readonly nft_owner_id: AccountId | null
  readonly marketplace_id: AccountId
  readonly last_member_id: AccountId | null
  readonly fee_address_id: AccountId
  readonly royalty_address_id: AccountId
  readonly end_time: bigint
  readonly created_at: bigint
  readonly last_bid_at: bigint
  readonly end_flag: boolean
  readonly is_canceled: boolean
  readonly last_bid: Numeric
  readonly min_step: Numeric
  readonly fee_factor: Numeric
  readonly fee_base: Numeric
  readonly royalty_factor: Numeric
  readonly royalty_base: Numeric
  readonly max_bid: Numeric
  readonly min_bid: Numeric
}

/** The five fields of a running auction are null when none runs. */
export interface TelemintItemRow extends RoleKey {
  readonly bidder_id: AccountId | null
  readonly beneficiary_id: AccountId | null
  readonly royalty_destination_id: AccountId
  readonly bid: Numeric | null
  readonly bid_at: Numeric | null
  readonly min_bid: Numeric | null
  readonly end_time: Numeric | null
  readonly initial_min_bid: Numeric
  readonly max_bid: Numeric
  readonly min_bid_step: Numeric
  readonly min_extend_time: Numeric
  readonly duration: Numeric
  readonly royalty_numerator: Numeric
  readonly royalty_denominator: Numeric
  readonly token_name: string
}

export interface DnsEntryRow extends RoleKey {
  readonly owner_id: AccountId | null
  readonly next_resolver_id: AccountId | null
  readonly wallet_id: AccountId | null
  readonly last_fill_up_time: bigint | null
  readonly domain: string
  readonly site: Buffer | null
  readonly storage: Buffer | null
}

export interface MultisigWalletRow extends RoleKey {
  readonly threshold: number
  readonly next_order_seqno: Numeric
  readonly signers: readonly AccountId[]
  readonly proposers: readonly AccountId[]
}

export interface MultisigOrderRow extends RoleKey {
  readonly multisig_id: AccountId
  readonly expiration_date: bigint
  readonly threshold: number
  readonly approvals_num: number
  readonly sent_for_execution: boolean
  readonly order_seqno: Numeric
  readonly approvals_mask: Numeric
  readonly signers: readonly AccountId[]
  /** Bag of cells. */
  readonly order_boc: Buffer
}

export interface VestingContractRow extends RoleKey {
  readonly sender_id: AccountId
  readonly owner_id: AccountId
  readonly start_time: bigint
  readonly total_duration: bigint
  readonly unlock_period: bigint
  readonly cliff_duration: bigint
  readonly total_amount: Numeric
  readonly whitelist: readonly AccountId[]
}

export interface NominatorPoolRow extends RoleKey {
  readonly validator_id: AccountId
  readonly state: number
  readonly nominators_count: number
  readonly validator_amount: Numeric
  readonly stake_amount_sent: Numeric
  /** `{address, amount, pending_deposit, withdraw_requested}`; raw addresses, amounts decimal texts. */
  readonly nominators: readonly Readonly<Record<string, string | boolean>>[]
}

export interface DexPoolRow extends RoleKey {
  readonly asset_1_id: AccountId | null
  readonly asset_2_id: AccountId | null
  readonly router_id: AccountId | null
  readonly dex: 'dedust' | 'stonfi_v1' | 'stonfi_v2'
  readonly is_stable: boolean | null
  readonly reserve_1: Numeric
  readonly reserve_2: Numeric
  /** Fraction of the amount. */
  readonly fee: number
}

/** Every role table with its row. */
export interface RoleTables {
  jetton_masters: JettonMasterRow
  jetton_wallets: JettonWalletRow
  nft_collections: NftCollectionRow
  nft_items: NftItemRow
  nft_sales: NftSaleRow
  nft_auctions: NftAuctionRow
  telemint_items: TelemintItemRow
  dns_entries: DnsEntryRow
  multisig_wallets: MultisigWalletRow
  multisig_orders: MultisigOrderRow
  vesting_contracts: VestingContractRow
  nominator_pools: NominatorPoolRow
  dex_pools: DexPoolRow
}
export type RoleTable = keyof RoleTables

/** The bit of a role in `contracts.roles` is its place in this list. */
export const ROLE_TABLES = [
  'jetton_masters',
  'jetton_wallets',
  'nft_collections',
  'nft_items',
  'nft_sales',
  'nft_auctions',
  'telemint_items',
  'dns_entries',
  'multisig_wallets',
  'multisig_orders',
  'vesting_contracts',
  'nominator_pools',
  'dex_pools',
] as const satisfies readonly RoleTable[]

interface TokenEvent {
  readonly account_id: AccountId
  readonly lt: bigint
  readonly now: number
  readonly aborted: boolean
  readonly query_id: Numeric
  readonly response_id: AccountId | null
  /** Bags of cells. */
  readonly custom_payload: Buffer | null
  readonly forward_payload: Buffer | null
}

/** Transaction of the sender's jetton wallet. Listed once the wallet is confirmed; `jetton_id` is set then. */
export interface JettonTransferRow extends TokenEvent {
  readonly source_id: AccountId
  readonly destination_id: AccountId | null
  readonly amount: Numeric
  readonly forward_amount: Numeric
}

export interface JettonBurnRow extends TokenEvent {
  readonly owner_id: AccountId
  readonly amount: Numeric
}

/** Transaction of the item. */
export interface NftTransferRow extends TokenEvent {
  readonly old_owner_id: AccountId
  readonly new_owner_id: AccountId | null
  readonly forward_amount: Numeric
}
