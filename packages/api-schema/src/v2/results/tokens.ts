import * as z from 'zod'
import { domain } from './dns.ts'
import { bytes, digits, object, text } from './parts.ts'

// Jettons and NFTs.

const content = z
  .strictObject({ type: z.enum(['onchain', 'offchain']), data: z.union([text, z.record(text, text)]) })
  .meta({ id: 'TokenContent' })
const token = <Kind extends string>(kind: Kind) => ({ contract_type: z.literal(kind), address: text })

/**
 * What the get-methods of a token return, by the kind of contract (TEP-62, TEP-74). Addresses are
 * user-friendly.
 */
export const TokenData = z
  .union([
    object('JettonMasterData', 'ext.tokens.jettonMasterData', {
      ...token('jetton_master'),
      total_supply: digits,
      mintable: z.boolean(),
      admin_address: text.optional(),
      jetton_content: content,
      jetton_wallet_code: bytes,
    }),
    object('JettonWalletData', 'ext.tokens.jettonWalletData', {
      ...token('jetton_wallet'),
      balance: digits,
      owner: text,
      jetton: text,
      jetton_wallet_code: bytes,
      mintless_is_claimed: z.boolean().optional(),
    }),
    object('NftCollectionData', 'ext.tokens.nftCollectionData', {
      ...token('nft_collection'),
      next_item_index: digits,
      owner_address: text.optional(),
      collection_content: content,
    }),
    object('NftItemData', 'ext.tokens.nftItemData', {
      ...token('nft_item'),
      init: z.boolean(),
      index: digits,
      collection_address: text.optional(),
      owner_address: text.optional(),
      content: z.union([content, domain]),
    }),
  ])
  .meta({ id: 'TokenData' })
