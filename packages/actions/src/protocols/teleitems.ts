// Telegram user names and numbers put up for auction by their owners.
import { TELEITEM, TELEITEM_BODIES } from '@shardwalk/contracts'
import { attempt, fieldsOf } from '../body.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { call, maybe, over } from '../core/pattern.ts'
import { type ContractFacts, factsOf, isTeleitem, type NftItemFact } from '../facts.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'

function teleitem(facts: ContractFacts, address: Address | null): NftItemFact | undefined {
  const item = factsOf(facts, address).nftItem
  return isTeleitem(item) ? item : undefined
}

const start: Matcher = {
  name: 'teleitem_start_auction',
  anchors: [TELEITEM.startAuction],
  pattern: over(call(TELEITEM.startAuction), maybe(call(TELEITEM.ok))),
  build({ anchor, facts }) {
    const item = need(teleitem(facts, anchor.destination), 'Telegram item')
    const config = attempt(() => fieldsOf(anchor, TELEITEM_BODIES.startAuction).auction_config)
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      asset: item.collection,
      asset_secondary: anchor.destination,
      nft_listing_data: {
        nft_item_index: item.index,
        marketplace: 'fragment',
        mp_fee_factor: 0n,
        mp_fee_base: 0n,
        royalty_fee_base: 0n,
        marketplace_fee_address: config?.beneficiary_address ?? null,
        max_bid: config?.max_bid ?? 0n,
        min_bid: config?.initial_min_bid ?? 0n,
      },
    })
    return { type: 'teleitem_start_auction', failed: anchor.node.failed, columns }
  },
}

const cancel: Matcher = {
  name: 'teleitem_cancel_auction',
  anchors: [TELEITEM.cancelAuction],
  pattern: over(call(TELEITEM.cancelAuction), maybe(call(TELEITEM.ok))),
  build({ anchor, facts }) {
    const item = need(teleitem(facts, anchor.destination), 'Telegram item')
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      asset: item.collection,
      asset_secondary: anchor.destination,
    })
    return { type: 'teleitem_cancel_auction', failed: anchor.node.failed, columns }
  },
}

export const teleitems: readonly Matcher[] = [start, cancel]
