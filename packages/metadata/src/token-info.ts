import { type ImageProxy, imageLinks } from './image-links.ts'
import { makeRecord, type TokenKind } from './record.ts'

/**
 * What is stored of a token: its content on the chain and, when something was fetched, the record made of
 * both.
 */
export interface StoredToken {
  readonly type: TokenKind
  readonly nft_index: string | null
  readonly content: Readonly<Record<string, unknown>> | null
  /** DNS name of an item, with its zone. */
  readonly domain: string | null
  /**
   * Null: never fetched, or fetched for other content than the chain has now. False: what was fetched is
   * unusable.
   */
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
 * An entry of `token_info` of API v3. Whether anything was fetched or not, the chain's own content is shown
 * as soon as it names the token; until then `isIndexed` is false.
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
