import type { Cell } from '@shardwalk/cells'
import type { DnsEntry, TokenContentView } from '@shardwalk/contracts'
import type { RawAddress } from '@shardwalk/model'

/** Results of `get_jetton_data`. `totalSupply` in the smallest unit. Source: TEP-74. */
export interface JettonMasterData {
  readonly kind: 'jetton_master'
  readonly totalSupply: bigint
  readonly mintable: boolean
  readonly admin?: RawAddress | undefined
  readonly content: TokenContentView
  readonly walletCode: Cell
}

/** Results of `get_wallet_data`. `balance` in the smallest unit. Source: TEP-74. */
export interface JettonWalletData {
  readonly kind: 'jetton_wallet'
  readonly balance: bigint
  readonly owner: RawAddress
  readonly jetton: RawAddress
  readonly walletCode: Cell
  /** For mintless jettons only: whether the owner has claimed the airdrop. */
  readonly isMintlessClaimed?: boolean | undefined
}

/** Results of `get_collection_data`. `nextItemIndex`: -1 if items are not numbered. Source: TEP-62. */
export interface NftCollectionData {
  readonly kind: 'nft_collection'
  readonly nextItemIndex: bigint
  readonly owner?: RawAddress | undefined
  readonly content: TokenContentView
}

/** Domain records of an item that is a domain. */
export interface DomainContent {
  readonly type: 'domain'
  readonly domain: string
  readonly entries: readonly DnsEntry[]
}

/** Results of `get_nft_data`. Source: TEP-62. */
export interface NftItemData {
  readonly kind: 'nft_item'
  readonly isInitialised: boolean
  readonly index: bigint
  readonly collection?: RawAddress | undefined
  readonly owner?: RawAddress | undefined
  readonly content: TokenContentView | DomainContent
}

/** What `getTokenData` finds, by the kind of contract. */
export type TokenData = JettonMasterData | JettonWalletData | NftCollectionData | NftItemData
