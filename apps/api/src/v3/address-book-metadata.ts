import type { Json } from '@shardwalk/api-schema'
import { type ImageProxy, imageLinks, makeRecord } from '@shardwalk/metadata'
import type { AccountId } from '@shardwalk/model'
import type { ListingRows, TokenRow } from './queries/listing-rows.ts'

/** `metadata` of a reply: raw address -> entries, keys sorted. */
export function metadataText(
  { wallets, tokens }: Pick<ListingRows, 'wallets' | 'tokens'>,
  text: (id: AccountId) => string,
  proxy: ImageProxy | undefined,
): Json {
  const entries = new Map<string, { indexed: boolean; info: object[] }>()
  const add = (id: AccountId, indexed: boolean, info: object) => {
    const key = text(id)
    const entry = entries.get(key) ?? { indexed: true, info: [] }
    entries.set(key, { indexed: entry.indexed && indexed, info: [...entry.info, info] })
  }
  for (const row of wallets)
    add(row.account_id, true, {
      valid: true,
      type: 'jetton_wallets',
      extra: { owner: text(row.owner_id), jetton: text(row.jetton_id), balance: row.balance },
    })
  for (const row of tokens) {
    const { indexed, info } = describe(row, proxy)
    add(row.account_id, indexed, info)
  }
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = sorted.map(([key, { indexed, info }]) => [key, { is_indexed: indexed, token_info: info }])
  return JSON.stringify(Object.fromEntries(rows))
}

/** Fetched or not, what the chain itself says is shown as soon as it is enough to name the token. */
function describe(
  row: TokenRow,
  proxy: ImageProxy | undefined,
): { readonly indexed: boolean; readonly info: object } {
  const { type, nft_index, content, domain } = row
  const index = nft_index !== null && { nft_index }
  if (row.valid === false) return { indexed: true, info: { valid: false, type, ...index } }
  const shown = row.valid ? row : makeRecord({ kind: type, content, domain })
  if (!shown) return { indexed: false, info: { type, ...index } }
  const { name, symbol, description, image } = shown
  const extra = { ...shown.extra, ...(image && proxy && imageLinks(image, proxy, row.is_nsfw)) }
  const info = {
    valid: true,
    type,
    ...(name && { name }),
    ...(symbol && { symbol }),
    ...(description && { description }),
    ...(image && !row.is_nsfw && { image }),
    ...index,
    is_nsfw: row.is_nsfw,
    is_scam: row.is_scam,
    ...(Object.keys(extra).length > 0 && { extra }),
  }
  return { indexed: true, info }
}
