import type { Db } from '@shardwalk/db'
import { intersect, isEmpty, type LtRange, rangeOf, type Sort } from '../idiom/index.ts'
import { knownPartitions } from './known-partitions.ts'
import { placesOf } from './places.ts'

/** Part of a range of lt. `isNarrow`: few partitions, and others are left out. */
export interface PartWithPairs {
  readonly lt: LtRange
  readonly isNarrow: boolean
}

/** Up to so many ranges are read one by one; more at once, with what is between them. */
const FEW = 3

/**
 * The parts of a range of lt in which there may be messages that have all these pairs of values, in the order
 * of a list. `keys`: `pairKeys`. The newest partitions come by themselves, before places of others are looked
 * up, because a list that begins there often needs no more.
 */
export async function* partsWithPairs(
  db: Db,
  { keys, lt, sort }: { readonly keys: readonly Buffer[]; readonly lt: LtRange; readonly sort: Sort },
): AsyncGenerator<PartWithPairs, void, void> {
  const { newest, filtered } = await knownPartitions(db)
  const finished = intersect({ from: lt.from, to: newest - 1n }, lt)
  if (keys.length === 0 || !filtered.has('messages') || isEmpty(finished)) {
    yield { lt, isNarrow: false }
    return
  }
  const others = { lt: intersect({ from: newest, to: lt.to }, lt), isNarrow: true }
  const hasOthers = !isEmpty(others.lt)
  if (sort === 'desc' && hasOthers) yield others
  const ranges = await placesOfAll(db, keys, finished)
  if (sort === 'asc') ranges.reverse()
  if (ranges.length > FEW)
    yield { lt: rangeOf(ranges.flatMap(({ from, to }) => [from, to])), isNarrow: false }
  else for (const range of ranges) yield { lt: range, isNarrow: true }
  if (sort === 'asc' && hasOthers) yield others
}

/** Newest first; what follows each other is one range. */
async function placesOfAll(db: Db, keys: readonly Buffer[], within: LtRange): Promise<LtRange[]> {
  const places = await placesOf(db, 'messages', keys, within.to + 1n)
  const found = new Map<bigint, { readonly range: LtRange; count: number }>()
  for (const { key, from, to } of places) {
    const place = found.get(from) ?? { range: { from, to }, count: 0 }
    place.count += key ? 1 : keys.length
    found.set(from, place)
  }
  const ranges: LtRange[] = []
  for (const { range, count } of found.values()) {
    const part = intersect(range, within)
    if (count < keys.length || isEmpty(part)) continue
    const last = ranges.at(-1)
    if (last && last.from === part.to + 1n) ranges[ranges.length - 1] = { from: part.from, to: last.to }
    else ranges.push(part)
  }
  return ranges
}
