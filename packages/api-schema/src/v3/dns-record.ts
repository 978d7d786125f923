import type * as z from 'zod'
import type { DnsAuctionReply, DnsRecordReply } from './contract-replies.ts'
import type { DnsAuctionView, DnsRecordView } from './contract-rows.ts'
import { type AddressOf, addresses, hashOrNull } from './contract-text.ts'
import { toNftItemReply } from './nft.ts'
import type { Json } from './text.ts'

/** `DNSRecord` of API v3. */
export function toDnsRecordReply(row: DnsRecordView, addressOf: AddressOf): Json {
  const { text, textOrNull } = addresses(addressOf)
  return JSON.stringify({
    nft_item_address: text(row.account_id),
    nft_item_owner: textOrNull(row.owner_id),
    domain: row.domain,
    dns_next_resolver: textOrNull(row.next_resolver_id),
    dns_wallet: textOrNull(row.wallet_id),
    dns_site_adnl: hashOrNull(row.site),
    dns_storage_bag_id: hashOrNull(row.storage),
  } satisfies z.input<typeof DnsRecordReply>)
}

/** `DNSAuction` of API v3. */
export function toDnsAuctionReply(row: DnsAuctionView, addressOf: AddressOf): Json {
  const { text, textOrNull } = addresses(addressOf)
  const auction = JSON.stringify({
    nft_item_address: text(row.account_id),
    domain: row.domain,
    max_bid_address: textOrNull(row.bidder_id),
    max_bid_amount: row.bid,
    auction_end_time: secondsOrNull(row.auction_end_time),
    last_fill_up_time: secondsOrNull(row.last_fill_up_time),
    finished: row.isOver,
  } satisfies z.input<typeof DnsAuctionReply>)
  return row.item ? `${auction.slice(0, -1)},"nft_item":${toNftItemReply(row.item, addressOf)}}` : auction
}

const secondsOrNull = (seconds: bigint | null): string | null => (seconds === null ? null : String(seconds))
