import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

/**
 * For thousands of comparisons, nearly all of things that are the same: `toEqual` takes several times as long
 * to say so. It judges what differs.
 */
export function expectSame(found: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted)
}
