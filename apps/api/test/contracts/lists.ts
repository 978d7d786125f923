import type { Json, Query } from '../client.ts'
import { type ChainUnderApi, facts } from './chain-under-api.ts'
import { address, descending, number, thenBy } from './orders.ts'

/** Tells whether a value of a filter selects a row. */
type Matches = (row: Json, value: string) => boolean

/** What a list of contracts has to do. */
export interface ListRules {
  readonly path: string
  readonly rows: string
  /** Parameters that every request needs and that select everything. */
  readonly always?: (chain: ChainUnderApi) => Promise<Query>
  /** Filters by address. `max`: maximum number of values. `from`: where rows have such values. */
  readonly filters: Readonly<
    Record<string, { readonly max: number; readonly from: readonly string[]; readonly matches?: Matches }>
  >
  readonly order: (a: Json, b: Json) => number
  /** False when the order has a single direction. */
  readonly sorted: boolean
  readonly defaultLimit?: number
  readonly maxLimit?: number
  readonly hasMetadata: boolean
  readonly listed: (row: Json) => unknown[]
}

const all = (list: unknown): string[] => (list as string[] | null) ?? []

export const LISTS: readonly ListRules[] = [
  {
    path: 'jetton/masters',
    rows: 'jetton_masters',
    filters: {
      address: { max: 1024, from: ['address'] },
      admin_address: { max: 1024, from: ['admin_address'] },
    },
    order: address('address'),
    sorted: false,
    hasMetadata: true,
    listed: (row) => [row['address'], row['admin_address']],
  },
  {
    path: 'jetton/wallets',
    rows: 'jetton_wallets',
    filters: {
      address: { max: 1000, from: ['address'] },
      owner_address: { max: 1000, from: ['owner'] },
      jetton_address: { max: 1, from: ['jetton'] },
    },
    order: address('address'),
    sorted: false,
    hasMetadata: true,
    listed: (row) => [row['address'], row['owner'], row['jetton']],
  },
  {
    path: 'jetton/transfers',
    rows: 'jetton_transfers',
    filters: {
      owner_address: { max: 1000, from: ['source', 'destination'] },
      address: { max: 1000, from: ['source', 'destination'] },
      jetton_wallet: { max: 1000, from: ['source_wallet'] },
      jetton_master: { max: 1, from: ['jetton_master'] },
    },
    order: descending(thenBy(number('transaction_lt'), address('source_wallet'))),
    sorted: true,
    hasMetadata: true,
    listed: (row) =>
      ['source', 'destination', 'source_wallet', 'jetton_master', 'response_destination'].map(
        (key) => row[key],
      ),
  },
  {
    path: 'jetton/burns',
    rows: 'jetton_burns',
    filters: {
      owner_address: { max: 1000, from: ['owner'] },
      address: { max: 1000, from: ['owner'] },
      jetton_wallet: { max: 1000, from: ['jetton_wallet'] },
      jetton_master: { max: 1, from: ['jetton_master'] },
    },
    order: descending(thenBy(number('transaction_lt'), address('jetton_wallet'))),
    sorted: true,
    hasMetadata: true,
    listed: (row) =>
      ['owner', 'jetton_wallet', 'jetton_master', 'response_destination'].map((key) => row[key]),
  },
  {
    path: 'nft/collections',
    rows: 'nft_collections',
    filters: {
      collection_address: { max: 1024, from: ['address'] },
      owner_address: { max: 1024, from: ['owner_address'] },
    },
    order: address('address'),
    sorted: false,
    hasMetadata: true,
    listed: (row) => [row['address'], row['owner_address']],
  },
  {
    path: 'nft/items',
    rows: 'nft_items',
    filters: {
      address: { max: 1000, from: ['address'] },
      owner_address: { max: 1000, from: ['owner_address'] },
      collection_address: { max: 1, from: ['collection_address'] },
    },
    order: address('address'),
    sorted: false,
    hasMetadata: true,
    listed: (row) => [row['address'], row['collection_address'], row['owner_address']],
  },
  {
    path: 'nft/transfers',
    rows: 'nft_transfers',
    filters: {
      owner_address: { max: 1000, from: ['old_owner', 'new_owner'] },
      address: { max: 1000, from: ['old_owner', 'new_owner'] },
      item_address: { max: 1000, from: ['nft_address'] },
      collection_address: { max: 1, from: ['nft_collection'] },
    },
    order: descending(thenBy(number('transaction_lt'), address('nft_address'))),
    sorted: true,
    hasMetadata: true,
    listed: (row) =>
      ['nft_address', 'nft_collection', 'old_owner', 'new_owner', 'response_destination'].map(
        (key) => row[key],
      ),
  },
  {
    path: 'dns/records',
    rows: 'records',
    always: async () => ({ wallet: facts.dns.items.find((one: Json) => one['domain'] === 'test').owner }),
    filters: {},
    order: thenBy(
      (a, b) => String(a['domain']).length - String(b['domain']).length,
      (a, b) => (String(a['domain']) < String(b['domain']) ? -1 : 1),
    ),
    sorted: false,
    defaultLimit: 100,
    hasMetadata: false,
    listed: (row) => [row['nft_item_address'], row['nft_item_owner'], row['dns_wallet']],
  },
  {
    path: 'dns/activeAuctions',
    rows: 'auctions',
    always: async () => ({
      bidder: facts.dns.items.find((one: Json) => one['domain'] === 'release-scenario').auction
        .max_bid_address,
    }),
    filters: {},
    order: thenBy(number('auction_end_time'), address('nft_item_address')),
    sorted: false,
    defaultLimit: 100,
    hasMetadata: true,
    listed: (row) => [row['nft_item_address'], row['max_bid_address']],
  },
  {
    path: 'multisig/wallets',
    rows: 'multisigs',
    always: async () => ({
      wallet_address: facts.multisigs.flatMap((one: Json) =>
        (one['signers'] as Json[]).map((signer) => signer['address']),
      ),
    }),
    filters: { address: { max: 1024, from: ['address'] } },
    order: descending(thenBy(number('last_transaction_lt'), address('address'))),
    sorted: true,
    maxLimit: 1024,
    hasMetadata: false,
    listed: (row) => [
      row['address'],
      ...all(row['signers']),
      ...all(row['proposers']),
      ...(row['orders'] as Json[]).flatMap((order) => [order['address'], ...all(order['signers'])]),
    ],
  },
  {
    path: 'multisig/orders',
    rows: 'orders',
    always: async () => ({ multisig_address: facts.multisigs.map((one: Json) => one['address']) }),
    filters: { address: { max: 1024, from: ['address'] } },
    order: descending(thenBy(number('last_transaction_lt'), address('address'))),
    sorted: true,
    maxLimit: 1024,
    hasMetadata: false,
    listed: (row) => [row['address'], row['multisig_address'], ...all(row['signers'])],
  },
  {
    path: 'vesting',
    rows: 'vesting_contracts',
    always: async () => ({ wallet_address: facts.vesting[0].owner }),
    filters: {},
    order: address('address'),
    sorted: false,
    hasMetadata: false,
    listed: (row) => [row['address'], row['sender_address'], row['owner_address'], ...all(row['whitelist'])],
  },
]
