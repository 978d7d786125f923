import { parseAddress } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'

/** All raw addresses in serialised text, without duplicates. */
export function rawAddressesIn(text: string): RawAddress[] {
  const found = new Set(text.match(/-?\d+:[0-9A-F]{64}/g))
  return [...found].flatMap((address) => parseAddress(address) ?? [])
}
