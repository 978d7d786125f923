import type { Cell } from '@shardwalk/cells'
import type { DnsEntry, TokenContentView } from '@shardwalk/contracts'
import type { RawAddress } from '@shardwalk/model'

export interface JettonMasterData {
  readonly kind: 'jetton_master'
  readonly totalSupply: bigint
  readonly mintable: boolean
  readonly admin?: RawAddress | undefined
  readonly content: TokenContentView
  readonly walletCode: Cell
}

export interface JettonWalletData {
  readonly kind: 'jetton_wallet'
  readonly balance: bigint
  readonly owner: RawAddress
  readonly jetton: RawAddress
  readonly walletCode: Cell
  /** For mintless jettons only: whether the owner has claimed the airdrop. */
  readonly isMintlessClaimed?: boolean | undefined
}

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

export interface NftItemData {
  readonly kind: 'nft_item'
  readonly isInitialised: boolean
  readonly index: bigint
  readonly collection?: RawAddress | undefined
  readonly owner?: RawAddress | undefined
  readonly content: TokenContentView | DomainContent
}

export type TokenData = JettonMasterData | JettonWalletData | NftCollectionData | NftItemData
