import type { RawAddress } from '@shardwalk/model'
import { cleanJson, type JsonObject, type JsonValue } from './document.ts'
import { TOKEN_KINDS, type TokenKind } from './record.ts'

/** Content supplied by the operator in place of a token's own. */
export interface ContentOverride {
  readonly address: RawAddress
  readonly type: TokenKind
  readonly content: JsonObject
}

/**
 * Parses `{"content_overrides": {"jetton_masters": {"0:<64 hex>": {"name": ...}}, "nft_collections": ...}}`.
 * Throws an `Error` whose message contains the path of the invalid entry.
 */
export function parseOverrides(text: string): readonly ContentOverride[] {
  const file = cleanJson(JSON.parse(text))
  const byType = isObject(file) ? file['content_overrides'] : undefined
  if (!isObject(byType)) throw new Error('the file has no member content_overrides')
  return Object.entries(byType).flatMap(([type, entries]) => {
    const kind = TOKEN_KINDS.find((name) => name === type)
    if (!kind || !isObject(entries))
      throw new Error(`content_overrides.${type}: expected one of ${TOKEN_KINDS.join(', ')}`)
    return Object.entries(entries).map(([address, content]) => {
      if (!isObject(content)) throw new Error(`content_overrides.${type}.${address}: expected an object`)
      return { address: rawAddress(address, type), type: kind, content }
    })
  })
}

function rawAddress(text: string, type: string): RawAddress {
  const match = /^(-1|0):([0-9a-fA-F]{64})$/.exec(text)
  if (!match?.[2]) throw new Error(`content_overrides.${type}.${text}: expected a raw address`)
  return { workchain: Number(match[1]), hash: Buffer.from(match[2], 'hex') }
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
