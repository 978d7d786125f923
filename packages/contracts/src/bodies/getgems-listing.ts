import { parseBoc, type Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { dataFields } from '../decoding/body-fields.ts'
import { codeHashesOf } from '../interfaces/code-hashes.ts'

/** Terms of a sale or an auction; which of them a contract has depends on its version. */
export interface GetgemsListing {
  readonly marketplace: string | null
  readonly full_price?: bigint
  readonly marketplace_fee_address: string | null
  readonly marketplace_fee?: bigint
  readonly royalty_address: string | null
  readonly royalty_amount?: bigint
  readonly mp_fee_factor?: bigint
  readonly mp_fee_base?: bigint
  readonly royalty_fee_base?: bigint
  readonly min_bid?: bigint
  readonly max_bid?: bigint
}

type Read = (data: Slice) => GetgemsListing

const ADDRESSES = { marketplace_fee_address: 'address', royalty_address: 'address' } as const
const SALE = { marketplace: 'address', full_price: 'amount', ...ADDRESSES } as const
const SALE_FEES = { marketplace_fee: 'amount', royalty_amount: 'amount' } as const
const AUCTION = {
  ...ADDRESSES,
  mp_fee_factor: 'bigint',
  mp_fee_base: 'bigint',
  royalty_fee_base: 'bigint',
  min_bid: 'amount',
  max_bid: 'amount',
} as const
const AUCTION_AT_MARKET = { ...AUCTION, marketplace: 'address' } as const

const saleV1 = dataFields('getgems_sale_v1', { ...SALE, ...SALE_FEES })
const saleV2 = dataFields('getgems_sale_v2', { ...SALE, ...SALE_FEES })
/** Fees are percentages here, there are no amounts. */
const saleV4 = dataFields('getgems_sale_v4', SALE)
const auctionV1 = dataFields('getgems_auction_v1', AUCTION)
const auctionV3r3 = dataFields('getgems_auction_v3r3', AUCTION_AT_MARKET)

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
  throw new DecodeError('getgems_auction_v2', 'data layout unknown')
}

const AUCTIONS = byCode({
  nft_auction_getgems_v1: (data: Slice) => ({ marketplace: null, ...auctionV1(data) }),
  nft_auction_getgems_v2: unreadable,
  nft_auction_getgems_v3: dataFields('getgems_auction_v3', AUCTION_AT_MARKET),
  nft_auction_getgems_v3r3: auctionV3r3,
  nft_auction_getgems_v4: dataFields('getgems_auction_v4', AUCTION_AT_MARKET),
})

/**
 * Terms in the data that a sale or auction of Getgems is deployed with. `stateInit`: bag of cells. Throws
 * DecodeError. Source: getgems-io/nft-contracts, packages/contracts/sources, `load_data` of each version.
 */
export const readGetgemsSale = (stateInit: Uint8Array): GetgemsListing =>
  readListing(stateInit, SALES, saleV4)
/** The same for an auction. That of an unknown code is read as one of v3r3. */
export const readGetgemsAuction = (stateInit: Uint8Array): GetgemsListing =>
  readListing(stateInit, AUCTIONS, auctionV3r3)

function readListing(stateInit: Uint8Array, layouts: ReadonlyMap<string, Read>, other: Read): GetgemsListing {
  const bag = parseBoc(stateInit, { verifyCrc: false })
  const init = bag.slice(bag.root)
  if (init.loadBit()) init.skip(5)
  if (init.loadBit()) init.skip(2)
  const code = init.loadMaybeRefCell()
  const data = init.loadMaybeRefSlice()
  if (!code || !data) throw new DecodeError('state_init', 'no code or no data')
  return (layouts.get(code.hash().toString('base64')) ?? other)(data)
}
