import { expect, test } from 'vitest'
import type { LtRange } from '../idiom/index.ts'
import { readingRows, readingTimes } from './readings.ts'

/** In the order of the list. */
const PARTS: readonly LtRange[] = [
  { from: 30n, to: 39n },
  { from: 20n, to: 29n },
  { from: 0n, to: 19n },
]
const LTS = [38n, 25n, 24n, 22n, 19n, 7n, 3n]

const lts = ({ from, to }: LtRange) => LTS.filter((lt) => from <= lt && lt <= to)

async function readAll(limit: number, offset: number) {
  const parts: LtRange[] = []
  const reading = readingRows({ limit, offset }, async (lt, wanted) => {
    parts.push(lt)
    return lts(lt).slice(wanted.offset, wanted.offset + wanted.limit)
  })
  let found: readonly bigint[] | undefined
  for (const part of PARTS) {
    found = await reading.read(part, found)
    if (reading.isEnough(found)) break
  }
  return { found, parts }
}

test('whatever is skipped and wanted, the rows of all parts are those of the list', async () => {
  for (let offset = 0; offset <= 8; offset++)
    for (let limit = 1; limit <= 8; limit++)
      expect((await readAll(limit, offset)).found).toEqual(LTS.slice(offset, offset + limit))
})

test('parts that had rows are not read again, those that an offset skips are', async () => {
  expect((await readAll(3, 0)).parts).toEqual(PARTS.slice(0, 2))
  expect((await readAll(4, 2)).parts).toEqual([PARTS[0], { from: 20n, to: 39n }, PARTS[2]])
})

test('a time is reached by the rows of several parts together', async () => {
  const first = async (sort: 'asc' | 'desc') => {
    const wanted: number[] = []
    const reading = readingTimes({ sort, needed: 5 }, async (lt, atMost) => {
      wanted.push(atMost)
      const times = lts(lt).slice(0, atMost).map(Number)
      const reach = sort === 'asc' ? Math.max(...times) : Math.min(...times)
      return { count: times.length, reach: times.length === 0 ? null : reach }
    })
    const nothing = await reading.read({ from: 40n, to: 49n }, undefined)
    const some = await reading.read(PARTS[0]!, nothing)
    const all = await reading.read({ from: 0n, to: 29n }, some)
    return { all, wanted, enough: [nothing, some, all].map(reading.isEnough) }
  }
  const [wanted, enough] = [
    [5, 5, 4],
    [false, false, true],
  ]
  expect(await first('desc')).toEqual({ all: { count: 5, reach: 19 }, wanted, enough })
  expect(await first('asc')).toEqual({ all: { count: 5, reach: 38 }, wanted, enough })
})
