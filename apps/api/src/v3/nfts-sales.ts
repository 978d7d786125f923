import type { Db, NftAuctionRow, NftSaleRow, TelemintItemRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import { textOrNull } from './accounts-text.ts'
import type { Listing } from './address-book-listing.ts'
import { type ItemView, loadItems, plainItem } from './nfts-items.ts'

/** A contract that sells something, with what it sells. */
export type SaleView = { readonly item: ItemView | undefined } & (
  | { readonly type: 'getgems_sale'; readonly row: NftSaleRow }
  | { readonly type: 'getgems_auction'; readonly row: NftAuctionRow }
  | { readonly type: 'telemint'; readonly row: TelemintItemRow }
)

/** Index: primary keys. */
export async function loadSales(db: Db, ids: readonly AccountId[]): Promise<SaleView[]> {
  const [sales, auctions, telemint] = await Promise.all([
    sql<NftSaleRow>`select * from nft_sales where account_id = any (${ids}::int8[]) order by account_id`.execute(
      db,
    ),
    sql<NftAuctionRow>`select * from nft_auctions where account_id = any (${ids}::int8[]) order by account_id`.execute(
      db,
    ),
    sql<TelemintItemRow>`select * from telemint_items where account_id = any (${ids}::int8[]) order by account_id`.execute(
      db,
    ),
  ])
  const nfts = [...sales.rows.map((row) => row.nft_id), ...auctions.rows.map((row) => row.nft_id)]
  const items = await loadItems(
    db,
    sql`where i.account_id = any (${[...nfts, ...telemint.rows.map((row) => row.account_id)]}::int8[])`,
  )
  const byId = new Map(items.map((item) => [item.account_id, item]))
  return [
    ...sales.rows.map((row) => ({ type: 'getgems_sale' as const, row, item: byId.get(row.nft_id) })),
    ...auctions.rows.map((row) => ({ type: 'getgems_auction' as const, row, item: byId.get(row.nft_id) })),
    ...telemint.rows.map((row) => ({ type: 'telemint' as const, row, item: byId.get(row.account_id) })),
  ]
}

/** Every address that the reply prints. */
export function saleAddresses(sale: SaleView): (AccountId | null | undefined)[] {
  const { row, item } = sale
  const ofItem = [item?.account_id, item?.collection_id, item?.owner_id]
  switch (sale.type) {
    case 'getgems_sale':
      return [
        row.account_id,
        sale.row.nft_id,
        sale.row.nft_owner_id,
        sale.row.marketplace_id,
        sale.row.fee_address_id,
        sale.row.royalty_address_id,
        ...ofItem,
      ]
    case 'getgems_auction':
      return [
        row.account_id,
        sale.row.nft_id,
        sale.row.nft_owner_id,
        sale.row.marketplace_id,
        sale.row.last_member_id,
        sale.row.fee_address_id,
        sale.row.royalty_address_id,
        ...ofItem,
      ]
    case 'telemint':
      return [
        row.account_id,
        sale.row.bidder_id,
        sale.row.beneficiary_id,
        sale.row.royalty_destination_id,
        ...ofItem,
      ]
  }
}

/** Keys whose value is not known are left out. */
export function saleReply(sale: SaleView, listing: Listing): object {
  const { row, item, type } = sale
  const common = {
    last_transaction_lt: String(row.lt),
    ...known({ code_hash: textOrNull(row.code_hash), data_hash: textOrNull(row.data_hash) }),
    details: known(details(sale, listing)),
    ...(item && { nft_item: { ...plainItem(item, listing), on_sale: false } }),
  }
  const address = listing.text(row.account_id)
  if (sale.type === 'telemint')
    return {
      type,
      address,
      nft_address: address,
      ...known({ nft_owner_address: listing.maybe(item?.owner_id ?? null) }),
      ...common,
    }
  return {
    type,
    address,
    nft_address: listing.text(sale.row.nft_id),
    ...known({ nft_owner_address: listing.maybe(sale.row.nft_owner_id) }),
    marketplace_address: listing.text(sale.row.marketplace_id),
    created_at: Number(sale.row.created_at),
    ...common,
  }
}

const known = (values: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))

function details(sale: SaleView, listing: Listing): Record<string, unknown> {
  const number = (value: string | bigint | null) => (value === null ? null : Number(value))
  switch (sale.type) {
    case 'getgems_sale': {
      const { row } = sale
      // Version 4 names shares of 100,000 of the price.
      const amount = (value: string) =>
        row.is_factor ? String((BigInt(row.full_price) * BigInt(value)) / 100_000n) : value
      return {
        is_complete: row.is_complete,
        full_price: row.full_price,
        marketplace_fee_address: listing.text(row.fee_address_id),
        marketplace_fee: amount(row.marketplace_fee),
        royalty_address: listing.text(row.royalty_address_id),
        royalty_amount: amount(row.royalty),
      }
    }
    case 'getgems_auction': {
      const { row } = sale
      return {
        end_flag: row.end_flag,
        end_time: number(row.end_time),
        last_bid: row.last_bid,
        last_member: listing.maybe(row.last_member_id),
        min_step: number(row.min_step),
        mp_fee_address: listing.text(row.fee_address_id),
        mp_fee_factor: number(row.fee_factor),
        mp_fee_base: number(row.fee_base),
        royalty_fee_address: listing.text(row.royalty_address_id),
        royalty_fee_factor: number(row.royalty_factor),
        royalty_fee_base: number(row.royalty_base),
        max_bid: row.max_bid,
        min_bid: row.min_bid,
        last_bid_at: number(row.last_bid_at),
        is_canceled: row.is_canceled,
      }
    }
    case 'telemint': {
      const { row } = sale
      return {
        token_name: row.token_name,
        bidder_address: listing.maybe(row.bidder_id),
        bid: row.bid,
        bid_ts: row.bid_at,
        min_bid: row.min_bid,
        end_time: number(row.end_time),
        beneficiary_address: listing.maybe(row.beneficiary_id),
        initial_min_bid: row.initial_min_bid,
        max_bid: row.max_bid,
        min_bid_step: row.min_bid_step,
        min_extend_time: row.min_extend_time,
        duration: row.duration,
        royalty_numerator: number(row.royalty_numerator),
        royalty_denominator: number(row.royalty_denominator),
        royalty_destination: listing.text(row.royalty_destination_id),
      }
    }
  }
}
