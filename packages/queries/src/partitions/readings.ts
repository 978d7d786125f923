import { type LtRange, rangeOf, type Sort } from '../idiom/index.ts'
import type { Reading } from './first-partitions.ts'

/** How many rows are wanted, behind those that are skipped. */
interface Wanted {
  readonly limit: number
  readonly offset: number
}

/** Rows in the order of the list. `read`: those of a range of lt. */
export function readingRows<Row>(
  { limit, offset }: Wanted,
  read: (lt: LtRange, wanted: Wanted) => Promise<readonly Row[]>,
): Reading<readonly Row[]> {
  let seen: LtRange | undefined
  return {
    read: async (lt, before = []) => {
      if (before.length > 0)
        return [...before, ...(await read(lt, { limit: limit - before.length, offset: 0 }))]
      seen = seen ? rangeOf([seen.from, seen.to, lt.from, lt.to]) : lt
      // While none came, it is not known how many were skipped.
      return read(offset === 0 ? lt : seen, { limit, offset })
    },
    isEnough: (rows) => rows.length === limit,
  }
}

/** The first rows by lt that have a time, and the last one of these times in the order of the list. */
export interface Beginning {
  readonly count: number
  /** Null if there are none. */
  readonly reach: number | null
}

/** The time up to which there are so many rows. `read`: of a range of lt, up to a number of them. */
export const readingTimes = (
  { sort, needed }: { readonly sort: Sort; readonly needed: number },
  read: (lt: LtRange, atMost: number) => Promise<Beginning>,
): Reading<Beginning> => ({
  read: async (lt, before = { count: 0, reach: null }) =>
    joined(before, await read(lt, needed - before.count), sort),
  isEnough: ({ count }) => count === needed,
})

function joined(one: Beginning, other: Beginning, sort: Sort): Beginning {
  const times = [one.reach, other.reach].filter((time) => time !== null)
  const reach = sort === 'asc' ? Math.max(...times) : Math.min(...times)
  return { count: one.count + other.count, reach: times.length === 0 ? null : reach }
}
