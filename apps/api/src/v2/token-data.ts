import { cellText, domainRecords, friendly, normalizedAddress, type V2Address } from '@shardwalk/api-schema'
import type { RawAddress } from '@shardwalk/model'
import { type DomainContent, NodeAccessError, readTokenData, type TokenData } from '@shardwalk/node-access'
import { failure } from '../node/failures.ts'
import type { V2Handlers } from './handler.ts'

export const TOKEN_HANDLERS: V2Handlers<'getTokenData'> = {
  async getTokenData(node, { address, seqno }) {
    const shownAddress = normalizedAddress(address as V2Address)
    try {
      const block = await node.blocks.masterchain(seqno)
      return toReply(await readTokenData(node, { address, block }), shownAddress)
    } catch (error) {
      if (error instanceof NodeAccessError && error.code === 'not_a_token')
        throw failure(409, `Smart contract ${shownAddress} is not Jetton or NFT`)
      throw error
    }
  },
}

/** A member that is omitted when there is no address. */
const optionalAddress = (name: string, address: RawAddress | undefined) =>
  address ? { [name]: friendly(address) } : {}

type TokenOf<Kind extends TokenData['kind']> = Extract<TokenData, { readonly kind: Kind }>

/** Members of `result` in the order of tonlib, `@type` first. */
function toReply(token: TokenData, address: string): object {
  const common = { contract_type: token.kind, address }
  switch (token.kind) {
    case 'jetton_master':
      return { '@type': 'ext.tokens.jettonMasterData', ...common, ...jettonMaster(token) }
    case 'jetton_wallet':
      return { '@type': 'ext.tokens.jettonWalletData', ...common, ...jettonWallet(token) }
    case 'nft_collection':
      return { '@type': 'ext.tokens.nftCollectionData', ...common, ...nftCollection(token) }
    case 'nft_item':
      return { '@type': 'ext.tokens.nftItemData', ...common, ...nftItem(token) }
  }
}

const jettonMaster = (token: TokenOf<'jetton_master'>) => ({
  total_supply: String(token.totalSupply),
  mintable: token.mintable,
  ...optionalAddress('admin_address', token.admin),
  jetton_content: token.content,
  jetton_wallet_code: cellText(token.walletCode),
})

const jettonWallet = (token: TokenOf<'jetton_wallet'>) => ({
  balance: String(token.balance),
  owner: friendly(token.owner),
  jetton: friendly(token.jetton),
  jetton_wallet_code: cellText(token.walletCode),
  ...(token.isMintlessClaimed !== undefined && { mintless_is_claimed: token.isMintlessClaimed }),
})

const nftCollection = (token: TokenOf<'nft_collection'>) => ({
  next_item_index: String(token.nextItemIndex),
  ...optionalAddress('owner_address', token.owner),
  collection_content: token.content,
})

const nftItem = (token: TokenOf<'nft_item'>) => ({
  init: token.isInitialised,
  index: String(token.index),
  ...optionalAddress('collection_address', token.collection),
  ...optionalAddress('owner_address', token.owner),
  content: token.content.type === 'domain' ? domainContent(token.content) : token.content,
})

const domainContent = ({ domain, entries }: DomainContent) => ({ domain, data: domainRecords(entries) })
