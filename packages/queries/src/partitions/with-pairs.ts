import type { Db } from '@shardwalk/db'
import { intersect, isEmpty, type LtRange, rangeOf, type Sort } from '../idiom/index.ts'
import { knownPartitions } from './known-partitions.ts'
import { placesOf } from './places.ts'

/** So many ranges are read one by one; all that follow at once, with what is between them. */
const FEW = 3

/**
 * The parts of a range of lt in which there may be messages that have all these pairs of values, in the order
 * of a list. `keys`: `pairKeys`. The newest partitions come by themselves, before places of others are looked
 * up, because a list that begins there often needs no more.
 */
export async function* rangesWithPairs(
  db: Db,
  { keys, lt, sort }: { readonly keys: readonly Buffer[]; readonly lt: LtRange; readonly sort: Sort },
): AsyncGenerator<LtRange, void, void> {
  const { newest, isFiltered } = await knownPartitions(db)
  const [finished, others] = [
    { from: lt.from, to: newest - 1n },
    { from: newest, to: lt.to },
  ].map((part) => intersect(part, lt)) as [LtRange, LtRange]
  if (keys.length === 0 || !isFiltered || isEmpty(finished)) {
    yield lt
    return
  }
  if (sort === 'desc' && !isEmpty(others)) yield others
  const ranges = await placesOfAll(db, keys, finished)
  if (sort === 'asc') ranges.reverse()
  yield* ranges.slice(0, FEW)
  if (ranges.length > FEW) yield rangeOf(ranges.slice(FEW).flatMap(({ from, to }) => [from, to]))
  if (sort === 'asc' && !isEmpty(others)) yield others
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
