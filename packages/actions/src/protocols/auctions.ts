// Bids and refunds of outbid bidders: Getgems auctions, Telegram items, domains.
import { TELEITEM } from '@shardwalk/contracts'
import type { Block } from '../core/block.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { built, commentOf, ton } from '../core/pattern.ts'
import { type ContractFacts, factsOf, isDnsItem, isTeleitem, type NftItemFact } from '../facts.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'

const OUTBID_NOTICE = 'Your bid has been outbid by another user'

/** Data of an `auction_bid` block. */
interface Bid {
  readonly bidder: Address | null
  readonly auction: Address
  readonly item: Address
  readonly collection: Address | null
  readonly index: bigint | null
  readonly kind: 'getgems' | 'fragment'
}

const isRefund = ({ opcode }: Block): boolean => opcode === TELEITEM.outbidNotification

/** TON sent to an auction; to a domain only if the previous bidder is refunded. */
export const auctionBid: Matcher = {
  name: 'auction_bid',
  anchors: ['ton_transfer'],
  pattern: ton,
  build({ anchor, facts }) {
    const target = need(anchor.destination, 'auction')
    const sold = subjectOf(anchor, target, facts)
    if (!sold || anchor.deployed !== undefined) return undefined
    if (['cancel', 'finish', 'stop'].includes(commentOf(anchor) ?? '')) return undefined
    const bid: Bid = { bidder: anchor.source, auction: target, ...sold }
    const columns = (): Columns => ({
      source: bid.bidder,
      destination: bid.auction,
      asset: bid.collection,
      asset_secondary: bid.item,
      value: anchor.value,
      nft_transfer_data: { nft_item_index: bid.index, marketplace: bid.kind },
    })
    return { type: 'auction_bid', failed: anchor.failed, data: bid, accounts: [bid.item], columns }
  },
}

/**
 * The item for sale at this address. That a domain is at auction is known only from the refund of the
 * previous bidder.
 */
function subjectOf(
  anchor: Block,
  target: Address,
  facts: ContractFacts,
): Omit<Bid, 'bidder' | 'auction'> | undefined {
  const { nftAuction, nftItem } = factsOf(facts, target)
  if (nftAuction?.nft)
    return { item: nftAuction.nft, ...placeOf(factsOf(facts, nftAuction.nft).nftItem), kind: 'getgems' }
  const atAuction = isTeleitem(nftItem) || (isDnsItem(nftItem) && anchor.next.some(isRefund))
  return atAuction ? { item: target, ...placeOf(nftItem), kind: 'fragment' } : undefined
}

const placeOf = (item: NftItemFact | undefined) => ({
  collection: item?.collection ?? null,
  index: item?.index ?? null,
})

/** The refund of the previous bidder, below a bid. */
export const auctionOutbid: Matcher = {
  name: 'auction_outbid',
  anchors: ['auction_bid'],
  pattern: built('auction_bid'),
  build({ anchor }) {
    const bid = anchor.data as Bid
    const refunds = anchor.next.filter((block) =>
      bid.kind === 'fragment' ? isRefund(block) : (commentOf(block)?.includes(OUTBID_NOTICE) ?? false),
    )
    const [refund, ...others] = refunds.filter(({ source }) => source === bid.auction)
    if (!refund || others.length > 0) return undefined
    const comment = commentOf(refund) ?? null
    const columns = (): Columns => ({
      source: bid.auction,
      destination: refund.destination,
      source_secondary: bid.bidder,
      asset: bid.collection,
      asset_secondary: bid.item,
      amount: refund.value,
      nft_transfer_data: { marketplace: bid.kind },
      ...(comment !== null && { ton_transfer_data: { content: comment, encrypted: false } }),
    })
    return { type: 'auction_outbid', absorb: [refund], accounts: [bid.item], columns }
  },
}
