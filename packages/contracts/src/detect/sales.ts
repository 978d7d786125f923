import type { Cell } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'
import { readStack } from '../get-methods/stack-reader.ts'
import { type ContractReader, type ContractState, callMethod } from './ports.ts'
import { readDict } from './stack-values.ts'

/** ASCII "FIXP" and "AUC": first result of `get_sale_data`. */
const FIXED_PRICE = 0x46495850n
const AUCTION = 0x415543n

/** Denominator of fee and royalty factors. Source: Getgems `nft-fixprice-sale-v4`. */
const FACTOR_BASE = 100_000n

/** Amount, in nanotons, of a fee or royalty factor of a version 4 sale. */
export const amountOfSaleFactor = (fullPrice: bigint, factor: bigint): bigint =>
  (fullPrice * factor) / FACTOR_BASE

/**
 * Fixed price sale (Getgems v2 to v4 and compatible). Amounts in nanotons; in version 4 `marketplaceFee` and
 * `royalty` are factors (see `isFactor`, `amountOfSaleFactor`). Not confirmed by the item: anyone can claim
 * to sell anything.
 */
export interface NftSale {
  readonly kind: 'nft_sale'
  readonly version: 'v3' | 'v4'
  readonly isComplete: boolean
  readonly createdAt: number
  readonly marketplace: RawAddress
  readonly nft: RawAddress
  readonly nftOwner: RawAddress | undefined
  readonly fullPrice: bigint
  readonly marketplaceFeeAddress: RawAddress
  readonly marketplaceFee: bigint
  readonly royaltyAddress: RawAddress
  readonly royalty: bigint
  readonly isFactor: boolean
  /**
   * Version 4 only. `soldAt`: Unix seconds, 0 while unsold; prices by jetton master (account id in workchain
   * 0, hex).
   */
  readonly soldAt?: number
  readonly jettonPrices?: ReadonlyMap<string, bigint>
}

/** The same for an auction: `endTime` in Unix seconds, amounts in nanotons. */
export interface NftAuction {
  readonly kind: 'nft_auction'
  readonly version: 'v3' | 'v4'
  readonly end: boolean
  readonly endTime: number
  readonly marketplace: RawAddress
  readonly nft: RawAddress
  readonly nftOwner: RawAddress | undefined
  readonly lastBid: bigint
  readonly lastMember: RawAddress | undefined
  /** Percent. */
  readonly minStep: bigint
  readonly marketplaceFeeAddress: RawAddress
  readonly marketplaceFeeFactor: bigint
  readonly marketplaceFeeBase: bigint
  readonly royaltyAddress: RawAddress
  readonly royaltyFactor: bigint
  readonly royaltyBase: bigint
  readonly maxBid: bigint
  readonly minBid: bigint
  readonly createdAt: number
  readonly lastBidAt: number
  readonly isCanceled: boolean
  /** Version 4 only. */
  readonly v4?: {
    readonly activated: boolean
    readonly stepTime: number
    readonly lastQueryId: bigint
    readonly jettonWallet: RawAddress | undefined
    readonly jettonMaster: RawAddress | undefined
    readonly isBrokenState: boolean
    readonly publicKey: bigint
  }
}

const SALE = {
  isComplete: 'bool',
  createdAt: 'int',
  marketplace: 'address',
  nft: 'address',
  nftOwner: 'address?',
  fullPrice: 'int',
  marketplaceFeeAddress: 'address',
  marketplaceFee: 'int',
  royaltyAddress: 'address',
  royalty: 'int',
} as const

const AUCTION_FIELDS = {
  end: 'bool',
  endTime: 'int',
  marketplace: 'address',
  nft: 'address',
  nftOwner: 'address?',
  lastBid: 'int',
  lastMember: 'address?',
  minStep: 'int',
  marketplaceFeeAddress: 'address',
  marketplaceFeeFactor: 'int',
  marketplaceFeeBase: 'int',
  royaltyAddress: 'address',
  royaltyFactor: 'int',
  royaltyBase: 'int',
  maxBid: 'int',
  minBid: 'int',
  createdAt: 'int',
  lastBidAt: 'int',
  isCanceled: 'bool',
} as const

/** Detects a sale or an auction of an NFT; a contract is at most one of the two. */
export async function detectNftSale(
  contract: ContractState,
  reader: ContractReader,
): Promise<NftSale | NftAuction | undefined> {
  return (
    (await saleV4(contract, reader)) ??
    (await auctionV4(contract, reader)) ??
    (await saleData(contract, reader))
  )
}

async function saleV4(contract: ContractState, reader: ContractReader): Promise<NftSale | undefined> {
  const stack = await callMethod(reader, contract, 'get_fix_price_data_v4')
  const data = readStack(stack, { ...SALE, soldAt: 'int', soldQueryId: 'int', jettonPrices: 'cell?' })
  const prices = data && readJettonPrices(data.jettonPrices)
  if (!prices) return undefined
  const { soldQueryId: _, ...sale } = data
  return {
    kind: 'nft_sale',
    version: 'v4',
    ...sale,
    createdAt: Number(data.createdAt),
    isFactor: true,
    soldAt: Number(data.soldAt),
    jettonPrices: prices,
  }
}

/** `Hashmap 256 (VarUInteger 16)`, keys are account ids in workchain 0. */
function readJettonPrices(root: Cell | undefined): Map<string, bigint> | undefined {
  const prices = readDict(
    root,
    256,
    (value, key) => [key.toBuffer().toString('hex'), value.loadCoins()] as const,
  )
  return prices && new Map(prices)
}

async function auctionV4(contract: ContractState, reader: ContractReader): Promise<NftAuction | undefined> {
  const data = readStack(await callMethod(reader, contract, 'get_auction_data_v4'), {
    activated: 'bool',
    ...AUCTION_FIELDS,
    stepTime: 'int',
    lastQueryId: 'int',
    jettonWallet: 'address?',
    jettonMaster: 'address?',
    isBrokenState: 'bool',
    publicKey: 'int',
  })
  if (!data) return undefined
  const {
    activated,
    stepTime,
    lastQueryId,
    jettonWallet,
    jettonMaster,
    isBrokenState,
    publicKey,
    ...auction
  } = data
  const v4 = {
    activated,
    stepTime: Number(stepTime),
    lastQueryId,
    jettonWallet,
    jettonMaster,
    isBrokenState,
    publicKey,
  }
  return { ...toAuction(auction, 'v4'), v4 }
}

async function saleData(
  contract: ContractState,
  reader: ContractReader,
): Promise<NftSale | NftAuction | undefined> {
  const stack = await callMethod(reader, contract, 'get_sale_data')
  const sale = readStack(stack, { magic: 'int', ...SALE })
  if (sale?.magic === FIXED_PRICE) {
    const { magic: _, ...fields } = sale
    return { kind: 'nft_sale', version: 'v3', ...fields, createdAt: Number(sale.createdAt), isFactor: false }
  }
  const auction = readStack(stack, { magic: 'int', ...AUCTION_FIELDS })
  if (auction?.magic !== AUCTION) return undefined
  const { magic: _, ...fields } = auction
  return toAuction(fields, 'v3')
}

type AuctionFields = NonNullable<ReturnType<typeof readStack<typeof AUCTION_FIELDS>>>

const toAuction = (fields: AuctionFields, version: NftAuction['version']): NftAuction => ({
  kind: 'nft_auction',
  version,
  ...fields,
  endTime: Number(fields.endTime),
  createdAt: Number(fields.createdAt),
  lastBidAt: Number(fields.lastBidAt),
})
