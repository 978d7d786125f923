import { type ImageProxy, imageLinks } from './image-links.ts'
import { chainRecord, type TokenKind } from './record.ts'

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

/** Decimals of a jetton whose content names none. Source: TEP-64. */
const DEFAULT_DECIMALS = '9'

/**
 * An entry of `token_info` of API v3. What the chain says is shown whether or not anything was fetched;
 * `isIndexed` is false until a fetch was tried, unless the chain says enough by itself. Jetton masters always
 * have decimals, because clients read them without a check.
 */
export function tokenInfo(
  token: StoredToken,
  proxy: ImageProxy | undefined,
): { readonly isIndexed: boolean; readonly info: object } {
  const { type, nft_index, is_nsfw, is_scam } = token
  const { shown, valid } = shownRecord(token)
  const { name, symbol, description, image } = shown
  const extra = {
    ...(type === 'jetton_masters' && { decimals: DEFAULT_DECIMALS }),
    ...shown.extra,
    ...(image && proxy && imageLinks(image, proxy, is_nsfw)),
  }
  const info = {
    ...(valid !== null && { valid }),
    type,
    ...(name && { name }),
    ...(symbol && { symbol }),
    ...(description && { description }),
    ...(image && !is_nsfw && { image }),
    ...(nft_index !== null && { nft_index }),
    // A warning does not wait for a fetch.
    ...((valid !== null || is_nsfw || is_scam) && { is_nsfw, is_scam }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
  return { isIndexed: valid !== null, info }
}

type Shown = Pick<StoredToken, 'extra'> &
  Partial<Record<'name' | 'symbol' | 'description' | 'image', string | null>>

/** `valid` is null while a fetch may still add to what is shown. */
function shownRecord(token: StoredToken): { readonly shown: Shown; readonly valid: boolean | null } {
  if (token.valid) return { shown: token, valid: true }
  const { record, isComplete } = chainRecord({
    kind: token.type,
    content: token.content,
    domain: token.domain,
  })
  return { shown: record, valid: token.valid ?? (isComplete || null) }
}
