import { contentAttributes } from '@shardwalk/contracts'
import { type RoleWriters, roleRow } from './role-row.ts'

type TokenKind = 'jetton_master' | 'jetton_wallet' | 'nft_collection' | 'nft_item' | 'dns_item'

/** Rows of jettons, NFTs and domains. */
export const TOKEN_ROWS: RoleWriters<TokenKind> = {
  jetton_master: (found, { key, maybeId }) =>
    roleRow('jetton_masters', {
      ...key,
      admin_id: maybeId(found.admin),
      mintable: found.mintable,
      total_supply: String(found.totalSupply),
      content: contentAttributes(found.content),
      wallet_code_hash: found.walletCodeHash,
      airdrop_root: found.airdropRoot ?? null,
    }),
  jetton_wallet: (found, { key, idOf }) =>
    roleRow('jetton_wallets', {
      ...key,
      owner_id: idOf(found.owner),
      jetton_id: idOf(found.jetton),
      is_claimed: found.isClaimed ?? null,
      balance: String(found.balance),
    }),
  nft_collection: (found, { key, maybeId }) =>
    roleRow('nft_collections', {
      ...key,
      owner_id: maybeId(found.owner),
      next_item_index: String(found.nextItemIndex),
      content: contentAttributes(found.content),
    }),
  nft_item: (found, { key, maybeId, domain }) =>
    roleRow('nft_items', {
      ...key,
      collection_id: maybeId(found.collection),
      owner_id: maybeId(found.owner),
      real_owner_id: maybeId(found.owner),
      init: found.init,
      item_index: String(found.index),
      // Clients look for the domain there.
      content: { ...contentAttributes(found.content), ...(domain !== undefined && { domain }) },
    }),
  dns_item: ({ domain, records, lastFillUpTime, auction }, { key, maybeId, item }) =>
    roleRow('dns_entries', {
      ...key,
      owner_id: maybeId(item?.owner),
      next_resolver_id: maybeId(records?.nextResolver),
      wallet_id: maybeId(records?.wallet),
      last_fill_up_time: lastFillUpTime === undefined ? null : BigInt(lastFillUpTime),
      bidder_id: maybeId(auction?.bidder),
      auction_end_time: auction?.endTime ?? null,
      bid: auction ? String(auction.bid) : null,
      domain,
      site: records?.site ?? null,
      storage: records?.storage ?? null,
    }),
}
