import { parseAddress } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'

/** All raw addresses that are values in JSON text, without duplicates. */
export function rawAddressesIn(text: string): RawAddress[] {
  // With the quote a number is tried once, not from each of its digits.
  const found = new Set(text.match(/(?<=")-?\d+:[0-9A-F]{64}(?=")/g))
  return [...found].flatMap((address) => parseAddress(address) ?? [])
}
