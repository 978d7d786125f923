// Listing, delisting and finishing of sales and auctions; discovery of items.
import {
  NFT,
  NFT_BODIES,
  NFT_MARKET,
  NFT_MARKET_BODIES,
  readGetgemsAuction,
  readGetgemsSale,
} from '@shardwalk/contracts'
import { fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need } from '../core/matcher.ts'
import {
  built,
  call,
  commentOf,
  either,
  over,
  overList,
  type Pattern,
  tonWithComment,
} from '../core/pattern.ts'
import { factsOf } from '../facts.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { nftTransferOf } from './nft-transfer.ts'

const nftTransfer = built('nft_transfer')

/** The item goes to a listing contract, which deploys the sale or auction and passes the item on. */
const putOnMarket: Matcher = {
  name: 'nft_put_on_sale_or_auction',
  anchors: ['nft_transfer'],
  pattern: overList(
    nftTransfer,
    {
      test: (block) => (block.type === 'ton_transfer' || block.isCall) && block.deployed !== undefined,
      label: 'init',
      keepExcess: true,
    },
    { ...nftTransfer, label: 'back', keepExcess: true },
  ),
  build({ anchor, captures, facts }) {
    const init = need(captures.find('init'), 'deployment')
    const given = nftTransferOf(anchor)
    const handedOver = nftTransferOf(need(captures.find('back'), 'second transfer'))
    const contract = need(init.destination, 'contract')
    if (handedOver.item !== given.item || handedOver.newOwner !== contract) return undefined
    const { nftSale, nftAuction } = factsOf(facts, contract)
    const known = need(nftSale ?? nftAuction, 'sale or auction')
    if (known.nft !== given.item || known.owner !== given.previousOwner) return undefined
    const stateInit = need(init.node.message.initState, 'state init')
    const { marketplace, ...terms } = nftSale ? readGetgemsSale(stateInit) : readGetgemsAuction(stateInit)
    const columns = (): Columns => ({
      source: given.previousOwner,
      source_secondary: given.newOwner,
      destination: contract,
      asset: given.collection,
      asset_secondary: given.item,
      nft_transfer_data: { marketplace_address: nftSale ? marketplace : known.marketplace },
      nft_listing_data: { nft_item_index: given.index, marketplace: 'getgems', ...terms },
    })
    return { type: nftSale ? 'nft_put_on_sale' : 'nft_put_on_auction', columns }
  },
}

const updateSale: Matcher = {
  name: 'nft_update_sale',
  anchors: [NFT_MARKET.changePrice],
  pattern: call(NFT_MARKET.changePrice),
  build({ anchor, facts }) {
    const sale = need(factsOf(facts, anchor.destination).nftSale, 'sale')
    const fields = fieldsOf(anchor, NFT_MARKET_BODIES.changePrice)
    const terms = {
      full_price: fields.new_full_price,
      marketplace_fee: fields.new_mp_fee,
      royalty_amount: fields.new_royalty_amount,
    }
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      asset_secondary: sale.nft,
      nft_transfer_data: { marketplace_address: sale.marketplace },
      nft_listing_data: terms,
    })
    return { type: 'nft_update_sale', failed: anchor.node.failed, accounts: [sale.nft], columns }
  },
}

/** The order is the action; the transfer of the item is separate. */
function endOfListing(
  match: Match,
  type: string,
  end: { owner: Address | null; item: Address; collection: Address | null; marketplace: Address | null },
) {
  const columns = (): Columns => ({
    source: end.owner,
    destination: match.anchor.destination,
    asset: end.collection,
    asset_secondary: end.item,
    nft_transfer_data: { marketplace_address: end.marketplace },
  })
  return { type, absorb: [match.anchor], accounts: [end.item], columns }
}

/** The captured transfer of this item. */
function transferOfItem({ captures }: Match, item: Address | null) {
  const block = captures
    .blocks()
    .find(
      (captured) =>
        ['nft_transfer', 'nft_purchase'].includes(captured.type) && nftTransferOf(captured).item === item,
    )
  return block && nftTransferOf(block)
}

const cancelSale: Matcher = {
  name: 'nft_cancel_sale',
  anchors: [NFT_MARKET.cancelSale],
  pattern: over(call(NFT_MARKET.cancelSale), nftTransfer),
  build(match) {
    const sale = need(factsOf(match.facts, match.anchor.destination).nftSale, 'sale')
    const { newOwner, item, collection } = need(transferOfItem(match, sale.nft), 'transfer of the item')
    return endOfListing(match, 'nft_cancel_sale', {
      owner: newOwner,
      item,
      collection,
      marketplace: sale.marketplace,
    })
  },
}

const endOrder = (comments: readonly string[], opcodes: readonly number[]): Pattern =>
  either(tonWithComment(...comments), call(...opcodes))

const finishAfterPurchase: Matcher = {
  name: 'nft_finish_auction_purchase',
  anchors: ['ton_transfer', NFT_MARKET.finishAuction, NFT_MARKET.stopAuction],
  pattern: over(
    endOrder(['finish', 'stop'], [NFT_MARKET.finishAuction, NFT_MARKET.stopAuction]),
    built('nft_purchase'),
  ),
  build(match) {
    const auction = need(factsOf(match.facts, match.anchor.destination).nftAuction, 'auction')
    const { newOwner, item, collection } = need(transferOfItem(match, auction.nft), 'purchase of the item')
    return endOfListing(match, 'nft_finish_auction', {
      owner: newOwner,
      item,
      collection,
      marketplace: auction.marketplace,
    })
  },
}

const isCancel = (anchor: Block): boolean =>
  anchor.opcode === NFT_MARKET.cancelAuction || commentOf(anchor) === 'cancel'

const endAuction: Matcher = {
  name: 'nft_cancel_or_finish_auction',
  anchors: ['ton_transfer', NFT_MARKET.cancelAuction, NFT_MARKET.finishAuction, NFT_MARKET.stopAuction],
  pattern: over(
    endOrder(
      ['cancel', 'finish', 'stop'],
      [NFT_MARKET.cancelAuction, NFT_MARKET.finishAuction, NFT_MARKET.stopAuction],
    ),
    nftTransfer,
  ),
  build(match) {
    const auction = need(factsOf(match.facts, match.anchor.destination).nftAuction, 'auction')
    const { newOwner, item, collection } = need(transferOfItem(match, auction.nft), 'transfer of the item')
    const type = isCancel(match.anchor) ? 'nft_cancel_auction' : 'nft_finish_auction'
    return endOfListing(match, type, { owner: newOwner, item, collection, marketplace: auction.marketplace })
  },
}

const discovery: Matcher = {
  name: 'nft_discovery',
  anchors: [NFT.getStaticData],
  pattern: over(call(NFT.getStaticData), call(NFT.reportStaticData)),
  build({ anchor, captures }) {
    const report = need(captures.call(NFT.reportStaticData), 'report')
    const { index, collection } = fieldsOf(report, NFT_BODIES.reportStaticData)
    const columns = (): Columns => ({
      source: anchor.source,
      asset: collection,
      asset_secondary: anchor.destination,
      nft_transfer_data: { nft_item_index: index },
    })
    return { type: 'nft_discovery', columns }
  },
}

export { cancelSale, discovery, endAuction, finishAfterPurchase, putOnMarket, updateSale }
