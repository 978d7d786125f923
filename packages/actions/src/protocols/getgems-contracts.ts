// Data of Getgems sale and auction contracts, as their deployment carries it.
import { parseBoc, type Slice } from '@shardwalk/cells'
import { codeHashesOf } from '@shardwalk/contracts'
import { loadAddress } from '../body.ts'
import { need, Unfit } from '../core/matcher.ts'
import type { NftListingData } from '../row.ts'
import type { Address } from '../trace.ts'

export interface Listing {
  readonly marketplace: Address | null
  readonly terms: NftListingData
}

type Read = (data: Slice) => Listing

/** `marketplace_fee_address:Addr marketplace_fee:Coins royalty_address:Addr royalty_amount:Coins`. */
function readSaleFees(fees: Slice) {
  return {
    marketplace_fee_address: loadAddress(fees),
    marketplace_fee: fees.loadCoins(),
    royalty_address: loadAddress(fees),
    royalty_amount: fees.loadCoins(),
  }
}

const saleV1: Read = (data) => {
  const marketplace = loadAddress(data)
  loadAddress(data)
  loadAddress(data)
  const full_price = data.loadCoins()
  const fees = data.loadRefSlice()
  const marketplace_fee = fees.loadCoins()
  const marketplace_fee_address = loadAddress(fees)
  const royalty_address = loadAddress(fees)
  const royalty_amount = fees.loadCoins()
  return {
    marketplace,
    terms: { full_price, marketplace_fee, marketplace_fee_address, royalty_address, royalty_amount },
  }
}

const saleV2: Read = (data) => {
  const marketplace = loadAddress(data.skip(1 + 32))
  loadAddress(data)
  loadAddress(data)
  const full_price = data.loadCoins()
  return { marketplace, terms: { full_price, ...readSaleFees(data.loadRefSlice()) } }
}

/** Fees are percentages here, there are no amounts. */
const saleV4: Read = (data) => {
  const marketplace = loadAddress(data.skip(1))
  loadAddress(data)
  const full_price = data.loadCoins()
  const fees = data.loadRefSlice()
  const terms = { full_price, marketplace_fee_address: loadAddress(fees), royalty_address: loadAddress(fees) }
  return { marketplace, terms }
}

const factor = (slice: Slice): bigint => slice.loadUintBig(32)

/** `mp_fee_addr:Addr mp_fee_factor:32 mp_fee_base:32 royalty_addr:Addr royalty_factor:32 royalty_base:32`. */
function readAuctionFees(fees: Slice) {
  const marketplace_fee_address = loadAddress(fees)
  const mp_fee_factor = factor(fees)
  const mp_fee_base = factor(fees)
  const royalty_address = loadAddress(fees)
  const royalty_fee_base = factor(fees.skip(32))
  return { marketplace_fee_address, mp_fee_factor, mp_fee_base, royalty_address, royalty_fee_base }
}

const readBids = (bids: Slice) => ({ min_bid: bids.loadCoins(), max_bid: bids.loadCoins() })

const auctionV1: Read = (data) => {
  const fees = readAuctionFees(data.loadRefSlice())
  return { marketplace: null, terms: { ...fees, ...readBids(data.loadRefSlice()) } }
}

const auctionV3r2: Read = (data) => {
  const fees = readAuctionFees(data.loadRefSlice())
  const rest = data.loadRefSlice().skip(32)
  return { marketplace: loadAddress(rest), terms: { ...fees, ...readBids(rest) } }
}

/**
 * `last_member:Addr last_bid:Coins last_bid_at:32 end_time:32 nft_owner:Addr last_query_id:64`, flags before
 * them.
 */
function skipBidding(data: Slice): Slice {
  loadAddress(data.skip(2))
  data.loadCoins()
  loadAddress(data.skip(64))
  return data.skip(64)
}

const auctionV3r3: Read = (data) => {
  skipBidding(data)
  const factors = {
    mp_fee_factor: factor(data),
    mp_fee_base: factor(data),
    royalty_fee_base: factor(data.skip(32)),
  }
  const fees = data.loadRefSlice()
  const addresses = { marketplace_fee_address: loadAddress(fees), royalty_address: loadAddress(fees) }
  const rest = data.loadRefSlice()
  return { marketplace: loadAddress(rest), terms: { ...factors, ...addresses, ...readBids(rest) } }
}

const auctionV4: Read = (data) => {
  skipBidding(data)
  const fees = data.loadRefSlice()
  const addresses = { marketplace_fee_address: loadAddress(fees), royalty_address: loadAddress(fees) }
  const factors = {
    mp_fee_factor: factor(fees),
    mp_fee_base: factor(fees),
    royalty_fee_base: factor(fees.skip(32)),
  }
  const rest = data.loadRefSlice()
  return { marketplace: loadAddress(rest), terms: { ...factors, ...addresses, ...readBids(rest) } }
}

/** Layouts by the name of a code; unknown code is read as the newest layout that most contracts share. */
const byCode = (layouts: Readonly<Record<string, Read>>): ReadonlyMap<string, Read> =>
  new Map(
    Object.entries(layouts).flatMap(([name, read]) =>
      codeHashesOf(name).map((hash) => [hash, read] as const),
    ),
  )

const SALES = byCode({
  nft_sale_getgems_v1: saleV1,
  nft_sale_getgems_v2: saleV2,
  nft_sale_getgems_v3: saleV2,
  nft_sale_getgems_v4: saleV4,
})

const unreadable: Read = () => {
  throw new Unfit('auction v2: data layout unknown')
}

const AUCTIONS = byCode({
  nft_auction_getgems_v1: auctionV1,
  nft_auction_getgems_v2: unreadable,
  nft_auction_getgems_v3: auctionV3r2,
  nft_auction_getgems_v3r3: auctionV3r3,
  nft_auction_getgems_v4: auctionV4,
})

export const readSale = (stateInit: Uint8Array): Listing => readListing(stateInit, SALES, saleV4)
export const readAuction = (stateInit: Uint8Array): Listing => readListing(stateInit, AUCTIONS, auctionV3r3)

function readListing(stateInit: Uint8Array, layouts: ReadonlyMap<string, Read>, other: Read): Listing {
  const bag = parseBoc(stateInit, { verifyCrc: false })
  const init = bag.slice(bag.root)
  if (init.loadBit()) init.skip(5)
  if (init.loadBit()) init.skip(2)
  const code = need(init.loadMaybeRefCell(), 'code')
  const data = need(init.loadMaybeRefSlice(), 'data')
  return (layouts.get(code.hash().toString('base64')) ?? other)(data)
}
