import type { Db } from '@shardwalk/db'
import type { LtRange, Sort } from '../idiom/index.ts'
import { partitionStarts } from './newest-partitions.ts'

/** Partitions of the first window; each further one has twice as many. The newest may be empty. */
const FIRST = 2

/**
 * The range in parts that follow each other in the direction of `sort`: few partitions, then more. Who reads
 * several lists at once reads all of them up to the end of a part, and need not look for the rest of a list
 * that ended long before the others began.
 */
export async function ltWindows(db: Db, range: LtRange, sort: Sort): Promise<readonly LtRange[]> {
  return splitRange(range, sort, await partitionStarts(db))
}

/** `starts`: of partitions, newest first. */
export function splitRange(range: LtRange, sort: Sort, starts: readonly bigint[]): readonly LtRange[] {
  const inside = starts.filter((start) => start > range.from && start <= range.to)
  const windows: LtRange[] = []
  let { from, to } = range
  for (let count = FIRST, at = 0; at + count <= inside.length; at += count, count *= 2) {
    if (sort === 'desc') {
      const cut = inside[at + count - 1]!
      windows.push({ from: cut, to })
      to = cut - 1n
    } else {
      const cut = inside[inside.length - at - count]!
      windows.push({ from, to: cut - 1n })
      from = cut
    }
  }
  return [...windows, { from, to }]
}
