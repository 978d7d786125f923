import { friendlyOf } from '../frame/paths.ts'
import type { Names } from './replies.ts'

/** Characters that people compare at each end, after the two that are the same for all accounts. */
const COMPARED = 4

/**
 * Friendly addresses of two accounts that look alike: one of them may have been made to be mistaken for the
 * other. Undefined: there are none.
 */
export function alikeAddresses({
  address_book: book,
  testOnly,
}: Names): readonly [string, string] | undefined {
  const seen = new Map<string, string>()
  for (const raw of Object.keys(book)) {
    const friendly = friendlyOf(raw, { testOnly })
    const ends = `${friendly.slice(2, 2 + COMPARED)}${friendly.slice(-COMPARED)}`
    const other = seen.get(ends)
    if (other !== undefined) return [other, friendly]
    seen.set(ends, friendly)
  }
  return undefined
}
