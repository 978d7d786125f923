import type { Db } from '@shardwalk/db'
import { intersect, isEmpty, type LtRange, rangeOf, type Sort } from '../idiom/index.ts'
import { knownPartitions } from './known-partitions.ts'
import { placesOf } from './places.ts'

/** Part of a range of lt. `isNarrow`: it covers few partitions, because others are left out. */
export interface PartWithPairs {
  readonly lt: LtRange
  readonly isNarrow: boolean
}

/** Up to this number, ranges are read one by one; more are read at once, with what is between them. */
const FEW = 3
/** Partitions that are read first: enough for a page if all of them have such messages. */
const FIRST = 4
/** Ranges of more partitions are not narrow: there the bitmaps of all cost less than a look at each list. */
const NARROW = 16

/**
 * The parts of a range of lt in which there may be messages that have all these pairs of values, in the order
 * of a list. `keys`: `pairKeys`. The newest partitions come by themselves, before places of others are looked
 * up, then a few of these, because a list often needs no more.
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
  const places = await placesOfAll(db, keys, finished)
  if (sort === 'asc') places.reverse()
  yield* inParts(places.slice(0, FIRST))
  yield* inParts(places.slice(FIRST))
  if (sort === 'asc' && hasOthers) yield others
}

/** `places`: of partitions, in the order of the list. */
function inParts(places: readonly LtRange[]): PartWithPairs[] {
  const ranges = joined(places)
  if (places.length <= NARROW && ranges.length <= FEW) return ranges.map((lt) => ({ lt, isNarrow: true }))
  return [{ lt: rangeOf(places.flatMap(({ from, to }) => [from, to])), isNarrow: false }]
}

/** Joins neighbours into one range. */
function joined(places: readonly LtRange[]): LtRange[] {
  const ranges: LtRange[] = []
  for (const place of places) {
    const last = ranges.at(-1)
    if (last && (last.from === place.to + 1n || place.from === last.to + 1n))
      ranges[ranges.length - 1] = rangeOf([last.from, last.to, place.from, place.to])
    else ranges.push(place)
  }
  return ranges
}

/** Of the partitions that may have messages with all pairs, newest first. */
async function placesOfAll(db: Db, keys: readonly Buffer[], within: LtRange): Promise<LtRange[]> {
  const places = await placesOf(db, keys, within.to + 1n)
  const found = new Map<bigint, { readonly range: LtRange; count: number }>()
  for (const { key, from, to } of places) {
    const place = found.get(from) ?? { range: { from, to }, count: 0 }
    place.count += key ? 1 : keys.length
    found.set(from, place)
  }
  return [...found.values()].flatMap(({ range, count }) => {
    const part = intersect(range, within)
    return count < keys.length || isEmpty(part) ? [] : [part]
  })
}
