import { type ImageProxy, imageLinks } from './image-links.ts'
import { makeRecord, type TokenKind } from './record.ts'

/** Stored facts of a token: its on-chain content and, if anything was fetched, the merged record. */
export interface StoredToken {
  readonly type: TokenKind
  readonly nft_index: string | null
  readonly content: Readonly<Record<string, unknown>> | null
  /** DNS name of an item, including its zone. */
  readonly domain: string | null
  /** Null if never fetched for the present content; false if what was fetched is unusable. */
  readonly valid: boolean | null
  readonly name: string | null
  readonly symbol: string | null
  readonly description: string | null
  readonly image: string | null
  readonly extra: Readonly<Record<string, unknown>> | null
  readonly is_nsfw: boolean
  readonly is_scam: boolean
}

/**
 * An entry of `token_info` of API v3. On-chain content is shown as soon as it has the token's name, whether
 * or not anything was fetched; until then `isIndexed` is false.
 */
export function tokenInfo(
  token: StoredToken,
  proxy: ImageProxy | undefined,
): { readonly isIndexed: boolean; readonly info: object } {
  const { type, nft_index, content, domain } = token
  const index = nft_index !== null && { nft_index }
  if (token.valid === false) return { isIndexed: true, info: { valid: false, type, ...index } }
  const shown = token.valid ? token : makeRecord({ kind: type, content, domain })
  if (!shown) return { isIndexed: false, info: { type, ...index } }
  const { name, symbol, description, image } = shown
  const extra = { ...shown.extra, ...(image && proxy && imageLinks(image, proxy, token.is_nsfw)) }
  const info = {
    valid: true,
    type,
    ...(name && { name }),
    ...(symbol && { symbol }),
    ...(description && { description }),
    ...(image && !token.is_nsfw && { image }),
    ...index,
    is_nsfw: token.is_nsfw,
    is_scam: token.is_scam,
    ...(Object.keys(extra).length > 0 && { extra }),
  }
  return { isIndexed: true, info }
}
