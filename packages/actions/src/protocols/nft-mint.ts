import type { Block } from '../core/block.ts'
import { DEPLOYING, type Matcher, need } from '../core/matcher.ts'
import { anyBlock } from '../core/pattern.ts'
import { factsOf } from '../facts.ts'
import type { Address } from '../trace.ts'

/** Data of an `nft_mint` block. */
export interface NftMint {
  readonly item: Address
  readonly collection: Address | null
  readonly index: bigint | null
}

/** Only for an `nft_mint`; the type is not checked. */
export const nftMintOf = (block: Block): NftMint => block.data as NftMint

/** Any message that activates exactly one account, which is an item. */
export const nftMint: Matcher = {
  name: 'nft_mint',
  anchors: [DEPLOYING],
  pattern: anyBlock,
  build({ anchor, facts }) {
    const item = need(anchor.deployed, 'deployment')
    const { index, collection } = need(factsOf(facts, item).nftItem, 'NFT item')
    return {
      type: 'nft_mint',
      data: { item, collection, index } satisfies NftMint,
      columns: () => ({
        source: anchor.source,
        destination: item,
        asset: collection,
        asset_secondary: item,
        opcode: anchor.node.message.opcode,
        nft_mint_data: { nft_item_index: index },
      }),
    }
  },
}
