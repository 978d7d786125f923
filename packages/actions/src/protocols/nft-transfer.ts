// NFT transfers: TEP-62, and items that report a transfer only by the notification (Fragment).

import type { Slice } from '@shardwalk/cells'
import {
  JETTON,
  loadEither,
  loadNftTransfer,
  NFT,
  NFT_BODIES,
  NFT_MARKET,
  TELEITEM,
  TELEITEM_BODIES,
} from '@shardwalk/contracts'
import { attempt, bodyOf, cellToBoc, fieldsOf, Payload, textOf } from '../body.ts'
import { type Block, byLt, TON } from '../core/block.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { call, commentOf, either, maybe, over } from '../core/pattern.ts'
import { type ContractFacts, factsOf } from '../facts.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'

/** Data of an `nft_transfer` block. */
export interface NftTransfer {
  readonly item: Address
  readonly collection: Address | null
  readonly index: bigint | null
  readonly previousOwner: Address | null
  readonly newOwner: Address | null
  readonly queryId: bigint
  readonly responseDestination: Address | null
  readonly customPayload: string | null
  readonly forwardPayload: string | null
  readonly forwardAmount: bigint | null
  readonly purchase: NftPurchaseTerms | undefined
}

/** What a buyer paid, and who got it. Nanotons. */
export interface NftPurchaseTerms {
  readonly price: bigint | null
  readonly marketplace: 'getgems' | 'fragment'
  readonly isPurchase: boolean
  readonly seller: Address | null
  readonly marketplaceAddress: Address | null
  readonly payout: { readonly amount: bigint; readonly address: Address | null } | undefined
  readonly royalty: { readonly amount: bigint; readonly address: Address | null } | undefined
}

/** Only for an `nft_transfer`; the type is not checked. */
export const nftTransferOf = (block: Block): NftTransfer => block.data as NftTransfer

function nftTransferColumns(transfer: NftTransfer): Columns {
  const { purchase } = transfer
  const addresses = purchase?.payout || purchase?.royalty
  return {
    source: transfer.previousOwner,
    destination: transfer.newOwner,
    asset: transfer.collection,
    asset_secondary: transfer.item,
    nft_transfer_data: {
      query_id: transfer.queryId,
      forward_amount: transfer.forwardAmount,
      response_destination: transfer.responseDestination,
      custom_payload: transfer.customPayload,
      forward_payload: transfer.forwardPayload,
      nft_item_index: transfer.index,
      is_purchase: purchase?.isPurchase ?? false,
      price: purchase?.isPurchase ? purchase.price : null,
      marketplace: purchase?.marketplace ?? null,
      real_prev_owner: purchase?.seller ?? null,
      marketplace_address: purchase?.marketplaceAddress ?? null,
      payout_amount: purchase?.payout?.amount ?? null,
      royalty_amount: purchase?.royalty?.amount ?? null,
    },
    ...(addresses && {
      nft_listing_data: {
        marketplace_fee_address: purchase?.payout?.address ?? null,
        royalty_address: purchase?.royalty?.address ?? null,
      },
    }),
  }
}

/** The block that caused this one; undefined directly below the root of the tree. */
const causeOf = (block: Block): Block | undefined => (block.previous?.previous ? block.previous : undefined)

const isExternalIn = (block: Block): boolean => block.isCall && block.source === null

const byCall: Matcher = {
  name: 'nft_transfer',
  anchors: [NFT.transfer],
  pattern: over(call(NFT.transfer), maybe(either(call(NFT.ownershipAssigned), call(JETTON.excesses)))),
  build({ anchor, captures, facts }) {
    const item = need(anchor.destination, 'item')
    const known = need(factsOf(facts, item).nftItem, 'NFT item')
    const body = loadNftTransfer(bodyOf(anchor), loadEither)
    const { queryId, customPayload, forwardAmount, payload: content } = body
    const newOwner = textOf(body.newOwner)
    const notification = captures.call(NFT.ownershipAssigned)
    const cause = causeOf(anchor)
    const purchase = cause && getgemsTerms({ cause, sender: anchor.source, item, newOwner, facts })
    const data: NftTransfer = {
      item,
      collection: known.collection,
      index: known.index,
      previousOwner:
        (notification && attempt(() => fieldsOf(notification, NFT_BODIES.ownershipAssigned).prev_owner)) ??
        anchor.source,
      newOwner,
      queryId,
      responseDestination: textOf(body.responseDestination),
      customPayload: customPayload ? cellToBoc(customPayload) : null,
      forwardPayload: content ? new Payload(content).toBoc() : null,
      forwardAmount,
      purchase,
    }
    const also = purchase && cause && paysForItem(cause) ? [cause] : []
    return {
      type: 'nft_transfer',
      failed: anchor.failed,
      data,
      also,
      columns: () => nftTransferColumns(data),
    }
  },
}

/** Money or an order to sell; an order to finish an auction remains an action of its own. */
function paysForItem(cause: Block): boolean {
  if (cause.type === TON) return !['finish', 'stop'].includes(commentOf(cause) ?? '')
  return cause.isCall && !FINISHING.includes(cause.opcode)
}

const FINISHING: readonly (number | undefined)[] = [NFT_MARKET.finishAuction, NFT_MARKET.stopAuction]

interface Sale {
  readonly cause: Block
  /** Who sent the item on. */
  readonly sender: Address | null
  readonly item: Address
  readonly newOwner: Address | null
  readonly facts: ContractFacts
}

/**
 * Terms of the sale or auction contract that sent the item; the price is the listed one. A sale may be
 * paid by a call as well as by a plain transfer, and by someone other than the new owner.
 */
function getgemsTerms({ cause, sender, item, newOwner, facts }: Sale): NftPurchaseTerms | undefined {
  const { nftSale, nftAuction } = factsOf(facts, cause.node.transaction.account)
  const listing =
    nftSale && cause.destination === sender
      ? { ...nftSale, price: nftSale.fullPrice }
      : nftAuction && { ...nftAuction, price: nftAuction.lastBid }
  if (!listing || listing.nft !== item || listing.owner === newOwner) return undefined
  return {
    price: listing.price,
    marketplace: 'getgems',
    isPurchase: true,
    seller: listing.owner,
    marketplaceAddress: listing.marketplace,
    payout: undefined,
    royalty: undefined,
  }
}

const byNotification: Matcher = {
  name: 'nft_ownership_assigned',
  anchors: [NFT.ownershipAssigned],
  pattern: call(NFT.ownershipAssigned),
  build({ anchor, facts }) {
    const item = need(anchor.source, 'item')
    const known = need(factsOf(facts, item).nftItem, 'NFT item')
    const body = bodyOf(anchor)
    const { query_id: queryId, prev_owner: previousOwner } = NFT_BODIES.ownershipAssignedHead(body)
    const payload = attempt(() => readPayload(body))
    const cause = causeOf(anchor)
    const sale =
      payload?.opcode === TELEITEM.bidInfo ? attempt(() => fragmentTerms(payload, cause)) : undefined
    const data: NftTransfer = {
      item,
      collection: known.collection,
      index: known.index,
      previousOwner,
      newOwner: anchor.destination,
      queryId,
      responseDestination: null,
      customPayload: null,
      forwardPayload: payload?.toBoc() ?? null,
      forwardAmount: null,
      purchase: sale?.terms,
    }
    return { type: 'nft_transfer', data, also: sale?.absorb ?? [], columns: () => nftTransferColumns(data) }
  },
}

const readPayload = (body: Slice): Payload | undefined => {
  const content = loadEither(body)
  return content && new Payload(content)
}

/**
 * The item pays royalty and seller by fill-ups beside the notification, royalty first.
 */
function fragmentTerms(payload: Payload, cause: Block | undefined) {
  const price = TELEITEM_BODIES.bidInfo(payload.afterOpcode()).bid
  const firstOwner = cause?.type === 'nft_mint' || cause?.opcode === TELEITEM.deploy
  const settles = cause !== undefined && (cause.type === TON || isExternalIn(cause))
  const payments = settles ? cause.next.filter(({ opcode }) => opcode === TELEITEM.fillUp).sort(byLt) : []
  const [first, second] = payments.map((block) => ({ amount: block.value, address: block.destination }))
  const terms: NftPurchaseTerms = {
    price,
    marketplace: 'fragment',
    isPurchase: !firstOwner,
    seller: null,
    marketplaceAddress: null,
    payout: second ?? first,
    royalty: second && first,
  }
  return { terms, absorb: settles ? [cause, ...payments] : [] }
}

/** Data of an `nft_purchase` block: the transfer. */
const purchase: Matcher = {
  name: 'nft_purchase',
  anchors: ['nft_transfer'],
  pattern: {},
  build({ anchor }) {
    const transfer = nftTransferOf(anchor)
    const terms = need(transfer.purchase, 'purchase')
    if (!terms.isPurchase || terms.marketplace !== 'getgems') return undefined
    const seller = need(terms.seller, 'seller')
    const cause = causeOf(anchor)
    const settled = cause && ['finish', 'stop'].includes(commentOf(cause) ?? '')
    const candidates = settled ? cause.next : anchor.next
    const payout = candidates.find((block) => block.type === TON && block.destination === seller)
    if (!payout) return undefined
    return {
      type: 'nft_purchase',
      data: transfer,
      also: [payout],
      siblings: true,
      columns: () => purchaseColumns(transfer, payout),
    }
  },
}

function purchaseColumns(transfer: NftTransfer, payout: Block): Columns {
  const columns = nftTransferColumns(transfer)
  const sent = payout.columns().ton_transfer_data
  return {
    ...columns,
    nft_transfer_data: {
      ...columns.nft_transfer_data,
      payout_amount: payout.value,
      payout_comment: sent?.content ?? null,
      payout_comment_encrypted: sent?.encrypted ?? false,
      payout_comment_encoded: sent?.encrypted ?? false,
    },
  }
}

/** By a call, by a notification alone (Fragment), and purchases at Getgems, which build on both. */
export const nftTransfers: readonly Matcher[] = [byCall, byNotification, purchase]
