import { crc16 } from '@shardwalk/cells'
import type { Kind } from './kinds.ts'

/** One thing to index. */
export interface WatchItem {
  readonly kind: 'address' | 'code' | 'jetton'
  /** The address in any form; of a code 64 hex digits or base64. */
  readonly text: string
}

const RAW = /^(-1|0):[0-9a-f]{64}$/i
const FRIENDLY = /^[A-Za-z0-9+/_-]{48}$/
const HASH = /^([0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i

/** Source: TEP-2. */
function isAddress(text: string): boolean {
  if (!FRIENDLY.test(text)) return RAW.test(text)
  const bytes = Buffer.from(text, 'base64')
  return bytes.readUInt16BE(34) === crc16(bytes, 0, 34)
}

/** Items separated by commas or white space; `text` is what was given. */
export const watch: Kind<{ readonly text: string; readonly items: readonly WatchItem[] }> = {
  accepts: 'addresses, `jetton:<address of the master>` and `code:<hash>`, separated by commas',
  parse(given) {
    const items: WatchItem[] = []
    for (const part of given.split(/[\s,]+/).filter((text) => text !== '')) {
      const [, prefix, text = ''] = /^(?:(jetton|code):)?(.+)$/.exec(part) ?? []
      if (!(prefix === 'code' ? HASH.test(text) : isAddress(text)))
        return { problem: `expected ${watch.accepts}, got "${part.slice(0, 128)}"` }
      items.push({ kind: prefix === 'code' || prefix === 'jetton' ? prefix : 'address', text })
    }
    return items.length > 0
      ? { value: { text: given, items } }
      : { problem: `expected ${watch.accepts}, got "${given.slice(0, 128)}"` }
  },
}
