import * as z from 'zod'
import {
  AddressBookReply,
  address,
  boc,
  currencies,
  digits,
  hash,
  int,
  MetadataReply,
  status,
} from './replies.ts'

// Reply schemas of accounts, tokens and contracts. Keys are in output order.

const content = z.record(z.string(), z.string()).nullable()
const decoded = z.looseObject({}).nullable()
const key = { last_transaction_lt: digits, code_hash: hash.nullable(), data_hash: hash.nullable() }
const named = { address_book: AddressBookReply, metadata: MetadataReply }
const book = { address_book: AddressBookReply }

/** An entry of `/accountStates`. Bags of cells are missing if they are unknown or not requested. */
export const AccountStateFullReply = z
  .strictObject({
    address,
    account_state_hash: hash,
    balance: digits.nullable(),
    extra_currencies: currencies.nullable(),
    status: status.nullable(),
    suspended: z.literal(true).optional(),
    frozen_hash: hash.optional(),
    last_transaction_hash: hash.nullable(),
    last_transaction_lt: digits.nullable(),
    data_hash: hash.optional(),
    code_hash: hash.optional(),
    data_boc: boc.optional(),
    code_boc: boc.optional(),
    contract_methods: z.array(int).nullable(),
    interfaces: z.array(z.string()).nullable(),
  })
  .meta({ id: 'AccountStateFull' })

/**
 * An entry of `/walletStates`. An account that is not a wallet has no `wallet_type`, `seqno` and `wallet_id`.
 */
export const WalletStateReply = z
  .strictObject({
    address,
    is_wallet: z.boolean(),
    wallet_type: z.string().optional(),
    seqno: int.optional(),
    wallet_id: z.number().optional(),
    balance: digits.optional(),
    extra_currencies: currencies.optional(),
    is_signature_allowed: z.boolean().optional(),
    status: status.optional(),
    suspended: z.literal(true).optional(),
    code_hash: hash.optional(),
    last_transaction_hash: hash.nullable(),
    last_transaction_lt: digits.nullable(),
  })
  .meta({ id: 'WalletState' })

/** `total_supply`: in the smallest unit, as the master's `get_jetton_data` returns it (TEP-74). */
export const JettonMasterReply = z
  .strictObject({
    address,
    total_supply: digits,
    mintable: z.boolean(),
    admin_address: address.nullable(),
    jetton_content: content,
    jetton_wallet_code_hash: hash,
    code_hash: hash.nullable(),
    data_hash: hash.nullable(),
    last_transaction_lt: digits,
  })
  .meta({ id: 'JettonMaster' })

/** `balance`: in the jetton's smallest unit. `mintless_info`: what the owner may still claim (TEP-177). */
export const JettonWalletReply = z
  .strictObject({
    address,
    balance: digits,
    owner: address,
    jetton: address,
    ...key,
    mintless_info: z
      .strictObject({
        amount: digits,
        start_from: int.nullable(),
        expire_at: int.nullable(),
        custom_payload_api_uri: z.array(z.string()).nullable(),
      })
      .meta({ id: 'JettonWalletMintlessInfo' })
      .optional(),
  })
  .meta({ id: 'JettonWallet' })

const transaction = {
  transaction_hash: hash,
  transaction_lt: digits,
  transaction_now: int,
  transaction_aborted: z.boolean(),
}

/** A transfer message (TEP-74). `source` and `destination` are owners; `source_wallet` is a jetton wallet. */
export const JettonTransferReply = z
  .strictObject({
    query_id: digits,
    source: address,
    destination: address.nullable(),
    amount: digits,
    source_wallet: address,
    jetton_master: address,
    ...transaction,
    response_destination: address.nullable(),
    custom_payload: boc.nullable(),
    decoded_custom_payload: decoded,
    forward_ton_amount: digits.nullable(),
    forward_payload: boc.nullable(),
    decoded_forward_payload: decoded,
    trace_id: hash.nullable(),
  })
  .meta({ id: 'JettonTransfer' })

/** A burn message (TEP-74). `amount`: in the jetton's smallest unit. */
export const JettonBurnReply = z
  .strictObject({
    query_id: digits,
    owner: address,
    jetton_wallet: address,
    jetton_master: address,
    ...transaction,
    amount: digits,
    response_destination: address.nullable(),
    custom_payload: boc.nullable(),
    decoded_custom_payload: decoded,
    trace_id: hash.nullable(),
  })
  .meta({ id: 'JettonBurn' })

/** As the collection's `get_collection_data` returns it (TEP-62). */
export const NftCollectionReply = z
  .strictObject({
    address,
    owner_address: address.nullable(),
    last_transaction_lt: digits,
    next_item_index: digits,
    collection_content: content,
    data_hash: hash.nullable(),
    code_hash: hash.nullable(),
  })
  .meta({ id: 'NFTCollection' })

/** As the item's `get_nft_data` returns it (TEP-62). `real_owner`: the seller, if a sale owns the item. */
export const NftItemReply = z
  .strictObject({
    address,
    init: z.boolean(),
    index: z.string(),
    collection_address: address.nullable(),
    owner_address: address.nullable(),
    content,
    last_transaction_lt: digits,
    code_hash: hash.nullable(),
    data_hash: hash.nullable(),
    collection: NftCollectionReply.nullable(),
    on_sale: z.boolean(),
    sale_contract_address: address.optional(),
    auction_contract_address: address.optional(),
    real_owner: address.optional(),
  })
  .meta({ id: 'NFTItem' })

/** A transfer message to an item (TEP-62). `forward_amount`: in nanotons. */
export const NftTransferReply = z
  .strictObject({
    query_id: digits,
    nft_address: address,
    nft_collection: address.nullable(),
    ...transaction,
    old_owner: address,
    new_owner: address.nullable(),
    response_destination: address.nullable(),
    custom_payload: boc.nullable(),
    decoded_custom_payload: decoded,
    forward_amount: digits.nullable(),
    forward_payload: boc.nullable(),
    decoded_forward_payload: decoded,
    trace_id: hash.nullable(),
  })
  .meta({ id: 'NFTTransfer' })

const NftSaleReply = z
  .strictObject({
    type: z.enum(['getgems_sale', 'getgems_auction', 'telemint']),
    address,
    nft_address: address.optional(),
    nft_owner_address: address.optional(),
    marketplace_address: address.optional(),
    created_at: int.optional(),
    last_transaction_lt: digits.optional(),
    code_hash: hash.optional(),
    data_hash: hash.optional(),
    details: z.looseObject({}),
    nft_item: NftItemReply.optional(),
  })
  .meta({ id: 'NFTSale' })

/** A domain and its records (TEP-81). A record that the domain lacks is null. */
export const DnsRecordReply = z
  .strictObject({
    nft_item_address: address,
    nft_item_owner: address.nullable(),
    domain: z.string(),
    dns_next_resolver: address.nullable(),
    dns_wallet: address.nullable(),
    dns_site_adnl: hash.nullable(),
    dns_storage_bag_id: hash.nullable(),
  })
  .meta({ id: 'DNSRecord' })

/** An auction of a domain; times in Unix seconds, the bid in nanotons. */
export const DnsAuctionReply = z
  .strictObject({
    nft_item_address: address,
    domain: z.string(),
    max_bid_address: address.nullable(),
    max_bid_amount: digits.nullable(),
    auction_end_time: digits.nullable(),
    last_fill_up_time: digits.nullable(),
    finished: z.boolean(),
    nft_item: NftItemReply.optional(),
  })
  .meta({ id: 'DNSAuction' })

const OrderActionReply = z
  .strictObject({
    destination: address.nullable(),
    value: digits.nullable(),
    body_raw: z.string().nullable(),
    parsed: z.boolean(),
    error: z.string().nullable(),
    parsed_body: z.looseObject({}).nullable(),
    parsed_body_type: z.string(),
    send_mode: int,
  })
  .meta({ id: 'OrderAction' })

/**
 * An order of multisig-contract-v2. `expiration_date`: Unix seconds; bit i of `approvals_mask` is signer i.
 */
export const MultisigOrderReply = z
  .strictObject({
    address,
    multisig_address: address,
    order_seqno: digits.nullable(),
    threshold: int.nullable(),
    sent_for_execution: z.boolean().nullable(),
    approvals_mask: digits.nullable(),
    approvals_num: int.nullable(),
    expiration_date: int.nullable(),
    order_boc: boc.nullable(),
    signers: z.array(address),
    ...key,
    actions: z.array(OrderActionReply).nullable(),
  })
  .meta({ id: 'MultisigOrder' })

/** A multisig-contract-v2 wallet and, unless refused by `include_orders`, its orders. */
export const MultisigReply = z
  .strictObject({
    address,
    next_order_seqno: digits.nullable(),
    threshold: int.nullable(),
    signers: z.array(address),
    proposers: z.array(address),
    ...key,
    orders: z.array(MultisigOrderReply),
  })
  .meta({ id: 'Multisig' })

/** A vesting wallet. `start_time` in Unix seconds, all durations in seconds, `total_amount` in nanotons. */
export const VestingReply = z
  .strictObject({
    address,
    start_time: int.nullable(),
    total_duration: int.nullable(),
    unlock_period: int.nullable(),
    cliff_duration: int.nullable(),
    sender_address: address.nullable(),
    owner_address: address.nullable(),
    total_amount: digits.nullable(),
    whitelist: z.array(address),
  })
  .meta({ id: 'VestingInfo' })

/** Balance in nanotons. */
export const TopAccountReply = z
  .strictObject({ account: address, balance: digits })
  .meta({ id: 'AccountBalance' })

/** Complete replies by name. */
export const contractReplies = {
  AccountStates: z
    .strictObject({ accounts: z.array(AccountStateFullReply), ...named })
    .meta({ id: 'AccountStatesResponse' }),
  WalletStates: z
    .strictObject({ wallets: z.array(WalletStateReply), ...named })
    .meta({ id: 'WalletStatesResponse' }),
  AddressBook: AddressBookReply,
  Metadata: MetadataReply,
  TopAccounts: z.array(TopAccountReply),
  Decode: z
    .strictObject({ opcodes: z.array(z.string()), bodies: z.array(z.looseObject({})) })
    .meta({ id: 'DecodeResponse' }),
  JettonMasters: z
    .strictObject({ jetton_masters: z.array(JettonMasterReply), ...named })
    .meta({ id: 'JettonMastersResponse' }),
  JettonWallets: z
    .strictObject({ jetton_wallets: z.array(JettonWalletReply), ...named })
    .meta({ id: 'JettonWalletsResponse' }),
  JettonTransfers: z
    .strictObject({ jetton_transfers: z.array(JettonTransferReply), ...named })
    .meta({ id: 'JettonTransfersResponse' }),
  JettonBurns: z
    .strictObject({ jetton_burns: z.array(JettonBurnReply), ...named })
    .meta({ id: 'JettonBurnsResponse' }),
  NftCollections: z
    .strictObject({ nft_collections: z.array(NftCollectionReply), ...named })
    .meta({ id: 'NFTCollectionsResponse' }),
  NftItems: z.strictObject({ nft_items: z.array(NftItemReply), ...named }).meta({ id: 'NFTItemsResponse' }),
  NftTransfers: z
    .strictObject({ nft_transfers: z.array(NftTransferReply), ...named })
    .meta({ id: 'NFTTransfersResponse' }),
  NftSales: z.strictObject({ nft_sales: z.array(NftSaleReply), ...named }).meta({ id: 'NFTSalesResponse' }),
  DnsRecords: z
    .strictObject({ records: z.array(DnsRecordReply), ...book })
    .meta({ id: 'DNSRecordsResponse' }),
  DnsAuctions: z
    .strictObject({ auctions: z.array(DnsAuctionReply), ...named, next_cursor: z.string().optional() })
    .meta({ id: 'DNSAuctionsResponse' }),
  Multisigs: z.strictObject({ multisigs: z.array(MultisigReply), ...book }).meta({ id: 'MultisigResponse' }),
  MultisigOrders: z
    .strictObject({ orders: z.array(MultisigOrderReply), ...book })
    .meta({ id: 'MultisigOrderResponse' }),
  Vesting: z
    .strictObject({ vesting_contracts: z.array(VestingReply), ...book })
    .meta({ id: 'VestingContractsResponse' }),
} as const
