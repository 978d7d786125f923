import { parseAddress } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'
import type { Kind } from './kinds.ts'

/** One thing to index: an account, every account with a code, or a jetton. */
export type WatchItem =
  | { readonly kind: 'address' | 'jetton'; readonly address: RawAddress }
  | { readonly kind: 'code'; readonly hash: Buffer }

const HEX = /^[0-9a-f]{64}$/i
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/

/** Items separated by commas or white space; `text` is what was given. */
export const watch: Kind<{ readonly text: string; readonly items: readonly WatchItem[] }> = {
  accepts: 'addresses, `jetton:<address of the master>` and `code:<hash>`, separated by commas',
  parse(given) {
    const parts = given.split(/[\s,]+/).filter((text) => text !== '')
    const items = parts.map((part) => readItem(part))
    const wrong = items.length === 0 ? given : parts[items.indexOf(undefined)]
    return wrong === undefined
      ? { value: { text: given, items: items as WatchItem[] } }
      : { problem: `expected ${watch.accepts}, got "${wrong.slice(0, 128)}"` }
  },
}

function readItem(text: string): WatchItem | undefined {
  const [, kind = 'address', value = ''] = /^(?:(jetton|code):)?(.*)$/.exec(text) ?? []
  if (kind !== 'code') {
    const address = parseAddress(value)
    return address && { kind: kind as 'address' | 'jetton', address }
  }
  if (HEX.test(value)) return { kind, hash: Buffer.from(value, 'hex') }
  return BASE64.test(value) ? { kind, hash: Buffer.from(value, 'base64') } : undefined
}
