import { randomFrom, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { randomCases, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listIndexedRanges } from '../src/index.ts'
import { addRanges, isLaterIndexed, readProgress, toRanges } from '../src/writing/ranges.ts'

const LAST = 120

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch?.close())

test('whatever ranges are added, in whatever order, what is indexed is their union', async () => {
  const seed = testSeed()
  const random = randomFrom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const client = await scratch.pool.connect()
  try {
    for (let round = 0; round < randomCases(50); round++) {
      await client.query('truncate indexed_ranges')
      const indexed = new Set<number>()
      for (let step = 0; step < 25; step++) {
        const added = Array.from({ length: 1 + below(1 + below(5)) }, () => {
          const from = 1 + below(LAST)
          return { from, to: Math.min(LAST, from + below(1 + below(20))) }
        })
        await addRanges(client, added)
        for (const { from, to } of added) for (let seqno = from; seqno <= to; seqno++) indexed.add(seqno)
        expect(await listIndexedRanges(scratch.db), `seed ${seed}`).toEqual(toRanges([...indexed]))
        const asked = Array.from({ length: 6 }, () => below(LAST + 3))
        const progress = await readProgress(client, asked)
        expect(asked.map(progress.isIndexed)).toEqual(asked.map((seqno) => indexed.has(seqno)))
        for (const seqno of asked)
          expect(await isLaterIndexed(client, seqno)).toBe(Math.max(...indexed) > seqno)
      }
    }
  } finally {
    client.release()
  }
})

test('a range takes the place of any number of others', async () => {
  const client = await scratch.pool.connect()
  try {
    await client.query('truncate indexed_ranges')
    await client.query(
      `insert into indexed_ranges (from_seqno, to_seqno)
       select n * 2, n * 2 from generate_series(1, 200000) n`,
    )
    await addRanges(client, [{ from: 3, to: 399_999 }])
    expect(await listIndexedRanges(scratch.db)).toEqual([{ from: 2, to: 400_000 }])
  } finally {
    client.release()
  }
})
