import type { AccountId } from '@shardwalk/model'
import type { Row, TableName } from '@shardwalk/tables'
import type { Columns } from './rows.ts'

// Rows of contracts and token events, with the columns that replies use.

/** A row of a kind of contract, without columns for internal use. */
type Kind<Name extends TableName, Unused extends string = never> = Readonly<
  Omit<Row<Name>, 'row_no' | Unused>
>

/** A jetton master without the root of its airdrop. */
export type JettonMasterView = Kind<'jetton_masters', 'airdrop_root'>

type Nullable<T> = { readonly [K in keyof T]: T[K] | null }

/** A wallet and, for a mintless jetton, the amount that its owner may still claim. */
export type JettonWalletView = Kind<'jetton_wallets'> &
  Nullable<Columns<'mintless_claims', 'amount' | 'start_from' | 'expire_at'>> &
  Columns<'mintless_jettons', 'custom_payload_api_uri'>

type EventColumn = 'account_id' | 'lt' | 'now' | 'aborted' | 'query_id' | 'response_id' | 'custom_payload'

/** Columns common to all token events, and columns of their transaction. */
export type TokenEventView = Columns<'jetton_transfers', EventColumn> &
  Columns<'transactions', 'hash'> &
  Columns<'traces', 'trace_id'>

/** Only events of confirmed wallets are listed, and these have a master. */
interface OfJetton {
  readonly jetton_id: AccountId
}

/** A transfer as the sender's wallet received it. */
export type JettonTransferView = TokenEventView &
  Columns<
    'jetton_transfers',
    'source_id' | 'destination_id' | 'jetton_id' | 'amount' | 'forward_amount' | 'forward_payload'
  > &
  OfJetton

/** A burn as the owner's wallet received it. */
export type JettonBurnView = TokenEventView &
  Columns<'jetton_burns', 'owner_id' | 'jetton_id' | 'amount'> &
  OfJetton

/** A transfer as the item received it. */
export type NftTransferView = TokenEventView &
  Columns<
    'nft_transfers',
    'old_owner_id' | 'new_owner_id' | 'collection_id' | 'forward_amount' | 'forward_payload'
  >

/** All public columns; an item has its collection in the same form. */
export type NftCollectionView = Kind<'nft_collections'>

/** An item with its collection, and its sale contract if the owner is one. */
export type NftItemView = Kind<'nft_items'> & {
  readonly collection: NftCollectionView | undefined
  readonly saleKind: 'sale' | 'auction' | undefined
}

/** A domain and the records of it that replies contain. */
export type DnsRecordView = Columns<
  'dns_entries',
  'account_id' | 'owner_id' | 'next_resolver_id' | 'wallet_id' | 'domain' | 'site' | 'storage'
>

/** An auction of a domain, and its item if that is asked for. */
export type DnsAuctionView = Columns<
  'dns_entries',
  'account_id' | 'bidder_id' | 'bid' | 'auction_end_time' | 'last_fill_up_time' | 'domain'
> & {
  readonly isOver: boolean
  readonly item: NftItemView | undefined
}

export type MultisigView = Kind<'multisig_wallets'>
export type MultisigOrderView = Kind<'multisig_orders'>
/** Without the columns of its state, which the reply lacks. */
export type VestingView = Kind<'vesting_contracts', 'lt' | 'code_hash' | 'data_hash'>

/** Newest state of an account; code and data are bags of cells, null when unknown or not requested. */
export type AccountStateView = Columns<
  'latest_account_states',
  | 'account_id'
  | 'lt'
  | 'balance'
  | 'status'
  | 'state_hash'
  | 'last_trans_hash'
  | 'code_hash'
  | 'data_hash'
  | 'frozen_hash'
  | 'extra_currencies'
> & {
  /** Null while the code has not been examined. */
  readonly methods: Row<'contract_methods'>['methods'] | null
  readonly code: Row<'codes'>['boc'] | null
  readonly data: Row<'account_data'>['boc'] | null
}

/** Balance in nanotons. */
export type TopAccountView = Pick<AccountStateView, 'account_id' | 'balance'>

/** Contracts that sell an item at a fixed price or by auction. */
export type FixedPriceRow = Kind<'nft_sales', 'sold_at' | 'jetton_prices'>
/** A Getgems auction. */
export type AuctionRow = Kind<'nft_auctions'>

/** A Telegram item; the columns of its auction are null while none is running. */
export type TelemintRow = Kind<'telemint_items'>

/** A contract that sells an item, with that item. */
export type NftSaleView = { readonly item: NftItemView | undefined } & (
  | { readonly type: 'getgems_sale'; readonly row: FixedPriceRow }
  | { readonly type: 'getgems_auction'; readonly row: AuctionRow }
  | { readonly type: 'telemint'; readonly row: TelemintRow }
)
