import type { AccountId } from '@shardwalk/model'
import type { ExtraCurrenciesJson } from './rows.ts'

// Rows of contracts and of token events, as far as replies print them. Amounts and other numbers of contracts
// are decimal texts, times Unix seconds, payloads bags of cells.

type Content = Readonly<Record<string, string>> | null

export interface ContractRow {
  readonly account_id: AccountId
  /** Of the account's last transaction. */
  readonly lt: bigint
  readonly code_hash: Buffer | null
  readonly data_hash: Buffer | null
}

export interface JettonMasterView extends ContractRow {
  readonly admin_id: AccountId | null
  readonly mintable: boolean
  readonly total_supply: string
  readonly content: Content
  readonly wallet_code_hash: Buffer
}

/** A wallet and, of a mintless jetton, what its owner may still claim. */
export interface JettonWalletView extends ContractRow {
  readonly owner_id: AccountId
  readonly jetton_id: AccountId
  readonly is_claimed: boolean | null
  readonly balance: string
  readonly amount: string | null
  readonly start_from: bigint | null
  readonly expire_at: bigint | null
  readonly custom_payload_api_uri: readonly string[] | null
}

/** What all token events have, with columns of the transaction that they happened in. */
export interface TokenEventView {
  readonly account_id: AccountId
  readonly lt: bigint
  readonly now: number
  readonly aborted: boolean
  readonly query_id: string
  readonly response_id: AccountId | null
  readonly custom_payload: Buffer | null
  /** Of the transaction. */
  readonly hash: Buffer
  readonly trace_id: Buffer | null
}

export interface JettonTransferView extends TokenEventView {
  readonly source_id: AccountId
  readonly destination_id: AccountId | null
  readonly jetton_id: AccountId
  readonly amount: string
  readonly forward_amount: string
  readonly forward_payload: Buffer | null
}

export interface JettonBurnView extends TokenEventView {
  readonly owner_id: AccountId
  readonly jetton_id: AccountId
  readonly amount: string
}

export interface NftTransferView extends TokenEventView {
  readonly old_owner_id: AccountId
  readonly new_owner_id: AccountId | null
  readonly collection_id: AccountId | null
  readonly forward_amount: string
  readonly forward_payload: Buffer | null
}

export interface NftCollectionView extends ContractRow {
  readonly owner_id: AccountId | null
  readonly next_item_index: string
  readonly content: Content
}

/** An item with its collection, and how its owner sells it if it is a contract that does. */
export interface NftItemView extends ContractRow {
  readonly collection_id: AccountId | null
  readonly owner_id: AccountId | null
  readonly real_owner_id: AccountId | null
  readonly init: boolean
  readonly item_index: string
  readonly content: Content
  readonly collection: NftCollectionView | undefined
  readonly saleKind: 'sale' | 'auction' | undefined
}

export interface DnsRecordView {
  readonly account_id: AccountId
  readonly owner_id: AccountId | null
  readonly next_resolver_id: AccountId | null
  readonly wallet_id: AccountId | null
  readonly domain: string
  readonly site: Buffer | null
  readonly storage: Buffer | null
}

export interface MultisigView extends ContractRow {
  readonly threshold: number
  readonly next_order_seqno: string
  readonly signers: readonly AccountId[]
  readonly proposers: readonly AccountId[]
}

export interface MultisigOrderView extends ContractRow {
  readonly multisig_id: AccountId
  readonly expiration_date: bigint
  readonly threshold: number
  readonly approvals_num: number
  readonly sent_for_execution: boolean
  readonly order_seqno: string
  readonly approvals_mask: string
  readonly signers: readonly AccountId[]
  readonly order_boc: Buffer
}

export interface VestingView {
  readonly account_id: AccountId
  readonly sender_id: AccountId
  readonly owner_id: AccountId
  readonly start_time: bigint
  readonly total_duration: bigint
  readonly unlock_period: bigint
  readonly cliff_duration: bigint
  readonly total_amount: string
  readonly whitelist: readonly AccountId[]
}

/**
 * Newest state of an account; code and data are bags of cells, null when they are not known or not asked for.
 */
export interface AccountStateView {
  readonly account_id: AccountId
  /** Of the last transaction. */
  readonly lt: bigint
  readonly balance: bigint
  /** Index into `ACCOUNT_STATUS`. */
  readonly status: number
  readonly state_hash: Buffer
  readonly last_trans_hash: Buffer
  readonly code_hash: Buffer | null
  readonly data_hash: Buffer | null
  readonly frozen_hash: Buffer | null
  /** A text while only the hash of the currencies is known. */
  readonly extra_currencies: ExtraCurrenciesJson | string
  /** Ids of get-methods; null: the code was not examined. */
  readonly methods: readonly number[] | null
  readonly code: Buffer | null
  readonly data: Buffer | null
}

export type TopAccountView = Pick<AccountStateView, 'account_id' | 'balance'>

export interface SaleRow extends ContractRow {
  readonly nft_id: AccountId
  readonly nft_owner_id: AccountId | null
  readonly marketplace_id: AccountId
  readonly fee_address_id: AccountId
  readonly royalty_address_id: AccountId
  readonly created_at: bigint
}

export interface FixedPriceRow extends SaleRow {
  readonly is_complete: boolean
  /** Fee and royalty are factors, not amounts. */
  readonly is_factor: boolean
  readonly full_price: string
  readonly marketplace_fee: string
  readonly royalty: string
}

export interface AuctionRow extends SaleRow {
  readonly last_member_id: AccountId | null
  readonly end_time: bigint
  readonly last_bid_at: bigint
  readonly end_flag: boolean
  readonly is_canceled: boolean
  readonly last_bid: string
  readonly min_step: string
  readonly fee_factor: string
  readonly fee_base: string
  readonly royalty_factor: string
  readonly royalty_base: string
  readonly max_bid: string
  readonly min_bid: string
}

/** A Telegram item; what its auction has is null while none runs. */
export interface TelemintRow extends ContractRow {
  readonly bidder_id: AccountId | null
  readonly beneficiary_id: AccountId | null
  readonly royalty_destination_id: AccountId
  readonly bid: string | null
  readonly bid_at: string | null
  readonly min_bid: string | null
  readonly end_time: string | null
  readonly initial_min_bid: string
  readonly max_bid: string
  readonly min_bid_step: string
  readonly min_extend_time: string
  readonly duration: string
  readonly royalty_numerator: string
  readonly royalty_denominator: string
  readonly token_name: string
}

/** A contract that sells an item, with that item. */
export type NftSaleView = { readonly item: NftItemView | undefined } & (
  | { readonly type: 'getgems_sale'; readonly row: FixedPriceRow }
  | { readonly type: 'getgems_auction'; readonly row: AuctionRow }
  | { readonly type: 'telemint'; readonly row: TelemintRow }
)
