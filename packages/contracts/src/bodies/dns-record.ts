import { loadStdAddress, type Slice, sha256 } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'

/** Keys of the standard record categories: SHA-256 of the category's name. Source: TEP-81. */
export const DNS_CATEGORY = {
  wallet: sha256(Buffer.from('wallet')),
  nextResolver: sha256(Buffer.from('dns_next_resolver')),
  site: sha256(Buffer.from('site')),
  storage: sha256(Buffer.from('storage')),
} as const

/**
 * A record of a domain. An address is undefined unless it is `addr_std`; `flags` is undefined when the record
 * ends before that field.
 */
export type DnsRecord =
  | { readonly type: 'nextResolver'; readonly address: RawAddress | undefined }
  | { readonly type: 'smc'; readonly address: RawAddress | undefined; readonly flags: number | undefined }
  | { readonly type: 'adnl'; readonly bytes: Buffer; readonly flags: number | undefined }
  | { readonly type: 'storage'; readonly bytes: Buffer }
  | { readonly type: 'text'; readonly bytes: Buffer }

/**
 * Reads block.tlb `DNSRecord`, ignoring the lists that follow its flags; undefined for an unknown tag. Throws
 * DecodeError. Source of `dns_storage_address#7473`: TEP-81.
 */
export function loadDnsRecord(slice: Slice): DnsRecord | undefined {
  switch (slice.loadUint(16)) {
    case 0xba93:
      return { type: 'nextResolver', address: loadStdAddress(slice) }
    case 0x9fd3:
      return { type: 'smc', address: loadStdAddress(slice), flags: loadFlags(slice) }
    case 0xad01:
      return { type: 'adnl', bytes: slice.loadBytes(32), flags: loadFlags(slice) }
    case 0x7473:
      return { type: 'storage', bytes: slice.loadBytes(32) }
    case 0x1eda:
      return { type: 'text', bytes: loadText(slice) }
    default:
      return undefined
  }
}

const loadFlags = (slice: Slice): number | undefined =>
  slice.remainingBits < 8 ? undefined : slice.loadUint(8)

/**
 * block.tlb `text$_ chunks:(## 8) rest:(TextChunks chunks)`: each chunk is in the first reference of the
 * previous one.
 */
function loadText(slice: Slice): Buffer {
  const parts: Buffer[] = []
  let chunk = slice
  for (let left = slice.loadUint(8); left > 0; left--) {
    parts.push(chunk.loadBytes(chunk.loadUint(8)))
    if (left > 1) chunk = chunk.loadRefSlice()
  }
  return Buffer.concat(parts)
}
