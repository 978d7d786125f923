import type { AccountId } from '@shardwalk/model'
import { bool, brinByTime, bytea, defineTable, int8, jsonb, numeric, text } from './define-table.ts'
import { type ContentJson, EVENT_KEY, ROLE_KEY, ROW_NUMBER } from './role-columns.ts'

/** Written by the examination of contracts; read by the API, analytics and the fetcher of metadata. */
export const nftCollections = defineTable('nft_collections', {
  comment: 'One row per NFT collection (TEP-62).',
  primaryKey: ['account_id'],
  indexes: {
    nft_collections_row_no: '(row_no)',
    nft_collections_owner: '(owner_id) WHERE (owner_id IS NOT NULL)',
  },
  columns: {
    ...ROLE_KEY,
    ...ROW_NUMBER,
    owner_id: int8<AccountId>('The owner; null: none.').orNull(),
    next_item_index: numeric('Index of the next item; -1: items are not numbered in turn.'),
    content: jsonb<ContentJson>('TEP-64 attributes by name.').orNull(),
  },
})

/** Written by the examination of contracts; read by the API, analytics and the classifier. */
export const nftItems = defineTable('nft_items', {
  comment: 'One row per NFT item (TEP-62) that its collection confirms, or that has none.',
  primaryKey: ['account_id'],
  indexes: {
    nft_items_row_no: '(row_no)',
    nft_items_collection: '(collection_id, item_index)',
    nft_items_lt: '(lt)',
    nft_items_owner: '(owner_id, collection_id, item_index)',
    nft_items_real_owner: '(real_owner_id, collection_id, item_index)',
  },
  columns: {
    ...ROLE_KEY,
    ...ROW_NUMBER,
    collection_id: int8<AccountId>('The collection; null: none.').orNull(),
    owner_id: int8<AccountId>('The owner; null: none.').orNull(),
    real_owner_id: int8<AccountId>(
      'The seller while the owner is a sale or auction of this item, else the owner.',
    ).orNull(),
    init: bool('The item is initialised.'),
    item_index: numeric('Index in the collection.'),
    content: jsonb<ContentJson>('TEP-64 attributes by name.').orNull(),
  },
})

/** Written by the examination of contracts; read by the API and the classifier. */
export const nftSales = defineTable('nft_sales', {
  comment: 'One row per contract that sells an item at a fixed price.',
  notes: 'Amounts are nanotons; with `is_factor` the fee and the royalty are factors of 100,000.',
  primaryKey: ['account_id'],
  indexes: { nft_sales_nft: '(nft_id)' },
  columns: {
    ...ROLE_KEY,
    nft_id: int8<AccountId>('The item.'),
    nft_owner_id: int8<AccountId>('The seller; null: the contract has not received the item yet.').orNull(),
    marketplace_id: int8<AccountId>('The marketplace.'),
    fee_address_id: int8<AccountId>('Recipient of the marketplace fee.'),
    royalty_address_id: int8<AccountId>('Recipient of the royalty.'),
    created_at: int8('Unix seconds.'),
    sold_at: int8('Unix seconds; null: not sold, or the contract does not say.').orNull(),
    is_complete: bool('The sale is over.'),
    is_factor: bool('Fee and royalty are factors of 100,000 instead of amounts.'),
    full_price: numeric('Price in nanotons.'),
    marketplace_fee: numeric('Nanotons, or a factor of 100,000.'),
    royalty: numeric('Nanotons, or a factor of 100,000.'),
    jetton_prices: jsonb<Readonly<Record<string, string>>>(
      "Prices in jettons by the raw address of the master, decimal, in the jetton's smallest unit.",
    ).orNull(),
  },
})

/** Written by the examination of contracts; read by the API and the classifier. */
export const nftAuctions = defineTable('nft_auctions', {
  comment: 'One row per contract that auctions an item.',
  primaryKey: ['account_id'],
  indexes: { nft_auctions_nft: '(nft_id)' },
  columns: {
    ...ROLE_KEY,
    nft_id: int8<AccountId>('The item.'),
    nft_owner_id: int8<AccountId>('The seller; null: the contract has not received the item yet.').orNull(),
    marketplace_id: int8<AccountId>('The marketplace.'),
    last_member_id: int8<AccountId>('Last bidder; null: no bid yet.').orNull(),
    fee_address_id: int8<AccountId>('Recipient of the marketplace fee.'),
    royalty_address_id: int8<AccountId>('Recipient of the royalty.'),
    end_time: int8('Unix seconds.'),
    created_at: int8('Unix seconds.'),
    last_bid_at: int8('Unix seconds; 0: no bid.'),
    end_flag: bool('The auction is over.'),
    is_canceled: bool('The seller ended it.'),
    last_bid: numeric('Nanotons.'),
    min_step: numeric('Minimum bid step, in the unit of the contract.'),
    fee_factor: numeric('Numerator of the fee.'),
    fee_base: numeric('Denominator of the fee.'),
    royalty_factor: numeric('Numerator of the royalty.'),
    royalty_base: numeric('Denominator of the royalty.'),
    max_bid: numeric('Bid that ends the auction at once, nanotons; 0: none.'),
    min_bid: numeric('Minimum first bid, nanotons.'),
  },
})

/** Written by the examination of contracts; read by the API. */
export const telemintItems = defineTable('telemint_items', {
  comment: 'One row per Telegram username or number: what it has beyond `nft_items`.',
  notes: 'The five columns of a running auction are null when none runs.',
  primaryKey: ['account_id'],
  columns: {
    ...ROLE_KEY,
    bidder_id: int8<AccountId>('Running auction: last bidder.').orNull(),
    beneficiary_id: int8<AccountId>('Recipient of the price.').orNull(),
    royalty_destination_id: int8<AccountId>('Recipient of the royalty.'),
    bid: numeric('Running auction: last bid, nanotons.').orNull(),
    bid_at: numeric('Running auction: time of the last bid, Unix seconds.').orNull(),
    min_bid: numeric('Running auction: minimum next bid, nanotons.').orNull(),
    end_time: numeric('Running auction: its end, Unix seconds.').orNull(),
    initial_min_bid: numeric('Minimum first bid, nanotons.'),
    max_bid: numeric('Bid that ends the auction at once, nanotons; 0: none.'),
    min_bid_step: numeric('Minimum bid step, percent.'),
    min_extend_time: numeric('A late bid extends the auction to at least this many seconds.'),
    duration: numeric('Duration of the auction, seconds.'),
    royalty_numerator: numeric('Numerator of the royalty.'),
    royalty_denominator: numeric('Denominator of the royalty.'),
    token_name: text('The username or the number.'),
  },
})

/** Written by the examination of contracts; read by the API and the classifier. */
export const dnsEntries = defineTable('dns_entries', {
  comment: 'One row per domain (TEP-81): what it has beyond `nft_items`.',
  primaryKey: ['account_id'],
  indexes: {
    dns_entries_bidder: '(bidder_id, auction_end_time) WHERE (bidder_id IS NOT NULL)',
    dns_entries_domain: '(domain)',
    dns_entries_wallet: '(wallet_id) WHERE (wallet_id IS NOT NULL)',
  },
  columns: {
    ...ROLE_KEY,
    owner_id: int8<AccountId>('Owner of the item.').orNull(),
    next_resolver_id: int8<AccountId>('Record `dns_next_resolver`.').orNull(),
    wallet_id: int8<AccountId>('Record `wallet`.').orNull(),
    last_fill_up_time: int8('Last renewal, Unix seconds.').orNull(),
    bidder_id: int8<AccountId>('Who leads its auction, or has won it and not taken the domain.').orNull(),
    auction_end_time: int8('End of the auction, Unix seconds.').orNull(),
    bid: numeric('The highest bid, nanotons.').orNull(),
    domain: text('Name with its zone, e.g. `example.ton`.'),
    site: bytea('ADNL address of the record `site`.').orNull(),
    storage: bytea('Bag id of the record `storage`.').orNull(),
  },
})

/** Written behind the head from `event_queue`; read by the API and analytics. */
export const nftTransfers = defineTable('nft_transfers', {
  comment: 'One row per transaction of an item that `transfer` (TEP-62) started.',
  primaryKey: ['account_id', 'lt'],
  indexes: {
    nft_transfers_collection: '(collection_id, lt) WHERE confirmed',
    nft_transfers_lt: '(lt) WHERE confirmed',
    nft_transfers_new_owner: '(new_owner_id, lt) WHERE confirmed',
    nft_transfers_now: '(now) WHERE confirmed',
    nft_transfers_old_owner: '(old_owner_id, lt) WHERE confirmed',
    nft_transfers_time: brinByTime('now'),
  },
  columns: {
    ...EVENT_KEY,
    old_owner_id: int8<AccountId>('Sender of the message.'),
    new_owner_id: int8<AccountId>('New owner of the item.').orNull(),
    collection_id: int8<AccountId>('The collection; null: none, or the item is not confirmed.').orNull(),
    forward_amount: numeric('Forwarded to the new owner, nanotons.'),
  },
})
