import type * as z from 'zod'
import type { DnsRecordReply } from './contract-replies.ts'
import type { DnsRecordView } from './contract-rows.ts'
import { type AddressOf, addresses, hashOrNull } from './contract-text.ts'
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
