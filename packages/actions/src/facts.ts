import { codeHashOf, TON_DNS_ZONES } from '@shardwalk/contracts'
import { formatRawAddress } from '@shardwalk/model'
import type { Address } from './trace.ts'

/**
 * Known facts about contracts of a trace at the time of classification. Most patterns do not match without
 * their facts.
 */
export type ContractFacts = Pick<ReadonlyMap<Address, AccountFacts>, 'get'>

/** What the index knows about a contract; a property per role that it has. */
export interface AccountFacts {
  readonly jettonWallet?: JettonWalletFact
  readonly nftItem?: NftItemFact
  readonly nftSale?: NftSaleFact
  readonly nftAuction?: NftAuctionFact
  /** Account code hash is `NOMINATOR_POOL_CODE_HASH`. */
  readonly nominatorPool?: boolean
  readonly multisigOrder?: MultisigOrderFact
  readonly dedustPool?: DedustPoolFact
  /** Account data cell (bag of cells); needed only for accounts in `FactsWanted.data`. */
  readonly data?: Uint8Array
}

export interface JettonWalletFact {
  readonly owner: Address
  /** Address of the jetton master. */
  readonly jetton: Address
}

/** Of an NFT item. Null: not known, or the item has no collection. */
export interface NftItemFact {
  readonly index: bigint | null
  readonly collection: Address | null
  /** `uri` of the content, off-chain form. */
  readonly uri?: string | null
  /** Standard base64. */
  readonly codeHash?: string | null
  /** The item is a domain. Domains below `.ton` are also recognised by code and collection. */
  readonly isDomain?: boolean
}

/** A sale at a fixed price, in nanotons. */
export interface NftSaleFact {
  readonly marketplace: Address | null
  readonly nft: Address | null
  readonly owner: Address | null
  readonly fullPrice: bigint | null
  /** Standard base64. */
  readonly codeHash?: string | null
}

/** An auction; the bid is in nanotons. */
export interface NftAuctionFact {
  readonly marketplace: Address | null
  readonly nft: Address | null
  readonly owner: Address | null
  readonly lastBid: bigint | null
  /** Standard base64. */
  readonly codeHash?: string | null
}

/** Of an order; `signers` are those of the order, not of the wallet now. */
export interface MultisigOrderFact {
  readonly multisig: Address | null
  readonly signers: readonly Address[]
}

/** A pool of DeDust. */
export interface DedustPoolFact {
  /** Two masters; null is TON. */
  readonly assets: readonly [Address | null, Address | null]
}

/** Standard base64. Source: ton-blockchain/nominator-pool. */
export const NOMINATOR_POOL_CODE_HASH = codeHashOf('nominator_pool_v1')

/** The elector on every network. Source: configuration parameter 1. */
export const ELECTOR = `-1:${'3'.repeat(64)}`

/**
 * Wrapped TON of STON.fi v1, STON.fi v2 and TONCO, on mainnet: wallets of these masters hold TON. Source:
 * toncenter/ton-indexer, `pton_masters`.
 */
const PTON_MASTERS: ReadonlySet<Address> = new Set([
  '0:8CDC1D7640AD5EE326527FC1AD0514F468B30DC84B0173F0E155F451B4E11F7C',
  '0:671963027F7F85659AB55B821671688601CDCF1EE674FC7FBBB1A776A18D34A3',
  '0:949C4C66760C002800E2FA3D8A3CA4E1C90A9373B53AE7472033483BF14CD95E',
])

/** Whether an asset is one of the pTON masters; false for TON (null). */
export const isPton = (asset: Address | null | undefined): boolean => asset != null && PTON_MASTERS.has(asset)

/** pTON counts as TON: null, as everywhere in rows. */
export const withoutPton = (asset: Address | null): Address | null => (isPton(asset) ? null : asset)

const DNS_ITEM_CODE_HASH = codeHashOf('dns_item_ton')
const DNS_COLLECTIONS: ReadonlySet<Address | null> = new Set(
  Object.values(TON_DNS_ZONES).map(({ collection }) => formatRawAddress(collection)),
)

/** Telegram user names and numbers, sold through Fragment. */
export const isTeleitem = (item: NftItemFact | undefined): item is NftItemFact =>
  item?.uri?.includes('https://nft.fragment.com') === true

/** Telegram user names are domains too, but are sold as Telegram items. */
export const isDnsItem = (item: NftItemFact | undefined): item is NftItemFact =>
  item !== undefined &&
  (item.isDomain === true || item.codeHash === DNS_ITEM_CODE_HASH || DNS_COLLECTIONS.has(item.collection)) &&
  !isTeleitem(item)

/** Facts about an address that may be absent. */
export const factsOf = (facts: ContractFacts, address: Address | null | undefined): AccountFacts =>
  (address != null && facts.get(address)) || NOTHING

const NOTHING: AccountFacts = {}

/** Owner and master, if the account is a jetton wallet. */
export const walletOf = (
  facts: ContractFacts,
  address: Address | null | undefined,
): JettonWalletFact | undefined => factsOf(facts, address).jettonWallet

/** Master of a jetton wallet, TON for pTON wallets; undefined for an unknown wallet. */
export function assetOfWallet(
  facts: ContractFacts,
  wallet: Address | null | undefined,
): Address | null | undefined {
  const known = walletOf(facts, wallet)
  return known && withoutPton(known.jetton)
}
