import type { AccountFacts, Address } from '@shardwalk/actions'
import type { AccountId } from '@shardwalk/model'
import type pg from 'pg'
import type { AddressBook } from './address-book.ts'
import { readIds } from './addresses.ts'
import { type FactRow, readData, readFactRows } from './fact-rows.ts'
import type { ReadFacts } from './facts.ts'

/** Where facts are read, and how addresses become ids. */
export interface FactsSource {
  readonly client: pg.ClientBase
  readonly book: AddressBook
  /** Ids that are already known: those of the accounts in the traces. */
  readonly idOf: ReadonlyMap<Address, AccountId>
}

/** Reads facts from the tables. */
export const factsReader =
  ({ client, book, idOf }: FactsSource): ReadFacts =>
  async (addresses, withData) => {
    const others = await readIds(
      client,
      addresses.filter((address) => !idOf.has(address)),
    )
    const idsByAddress = new Map(
      addresses.map((address) => [address, idOf.get(address) ?? others.get(address)]),
    )
    const ids = [...idsByAddress.values()].filter((id) => id !== undefined)
    const rows = await readFactRows(client, ids)
    const data = await readData(
      client,
      [...withData].map((address) => idsByAddress.get(address)).filter(isKnown),
    )
    const addressOf = await book.read(client, rows.flatMap(namedBy))
    const byId = new Map(rows.map((row) => [row.account_id, row]))
    const found = new Map<Address, AccountFacts>()
    for (const [address, id] of idsByAddress) {
      const row = id === undefined ? undefined : byId.get(id)
      const boc = id === undefined ? undefined : data.get(id)
      if (row || boc) found.set(address, { ...(row && toFacts(row, addressOf)), ...(boc && { data: boc }) })
    }
    return found
  }

const isKnown = (id: AccountId | undefined): id is AccountId => id !== undefined

const namedBy = (row: FactRow): (AccountId | null)[] => [
  row.wallet_owner_id,
  row.jetton_id,
  row.collection_id,
  row.sale_marketplace_id,
  row.sale_nft_id,
  row.sale_owner_id,
  row.auction_marketplace_id,
  row.auction_nft_id,
  row.auction_owner_id,
  row.multisig_id,
  ...(row.signers ?? []),
  row.asset_1_id,
  row.asset_2_id,
]

function toFacts(row: FactRow, addressOf: (id: AccountId) => Address): AccountFacts {
  const orNull = (id: AccountId | null) => (id === null ? null : addressOf(id))
  return {
    ...(row.wallet_owner_id !== null &&
      row.jetton_id !== null && {
        jettonWallet: { owner: addressOf(row.wallet_owner_id), jetton: addressOf(row.jetton_id) },
      }),
    ...nftFacts(row, orNull),
    ...(row.multisig_id !== null &&
      row.signers !== null && {
        multisigOrder: { multisig: addressOf(row.multisig_id), signers: row.signers.map(addressOf) },
      }),
    ...(row.is_pool && { dedustPool: { assets: [orNull(row.asset_1_id), orNull(row.asset_2_id)] as const } }),
    ...(row.is_nominator_pool && { nominatorPool: true }),
  }
}

function nftFacts(row: FactRow, orNull: (id: AccountId | null) => Address | null): AccountFacts {
  const codeHash = row.code_hash?.toString('base64') ?? null
  return {
    ...(row.item_index !== null && {
      nftItem: {
        index: BigInt(row.item_index),
        collection: orNull(row.collection_id),
        uri: row.uri,
        codeHash,
        isDomain: row.is_domain,
      },
    }),
    ...(row.sale_price !== null && {
      nftSale: {
        marketplace: orNull(row.sale_marketplace_id),
        nft: orNull(row.sale_nft_id),
        owner: orNull(row.sale_owner_id),
        fullPrice: BigInt(row.sale_price),
        codeHash,
      },
    }),
    ...(row.auction_bid !== null && {
      nftAuction: {
        marketplace: orNull(row.auction_marketplace_id),
        nft: orNull(row.auction_nft_id),
        owner: orNull(row.auction_owner_id),
        lastBid: BigInt(row.auction_bid),
        codeHash,
      },
    }),
  }
}
