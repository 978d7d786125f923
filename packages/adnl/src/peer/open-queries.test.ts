import { expect, test } from 'vitest'
import { OpenQueries } from './open-queries.ts'

const id = (number: number) => Buffer.alloc(32, number)
const query = Buffer.from('query')

test('a query is repeated after the measured round trip, then ever later, until its end', async () => {
  const queries = new OpenQueries()
  for (let i = 0; i < 30; i++) {
    const asked = queries.add(id(i), query, 1_000 * i, 3_000)
    queries.answer(id(i), Buffer.of(i), 1_000 * i + 100)
    expect(await asked).toEqual(Buffer.of(i))
  }
  const lost = queries.add(id(99), query, 50_000, 3_000)
  const sentAgainAt: number[] = []
  for (let now = 50_000; now < 53_000; now += 10)
    if (queries.takeLost(now).length > 0) sentAgainAt.push(now - 50_000)
  // Answers took 100 ms.
  expect(sentAgainAt[0]).toBeLessThan(150)
  expect(sentAgainAt.length).toBeGreaterThan(3)
  const pauses = sentAgainAt.map((at, i) => at - (sentAgainAt[i - 1] ?? 0))
  for (const [i, pause] of pauses.entries()) if (i > 0) expect(pause).toBeGreaterThan(1.8 * pauses[i - 1]!)
  queries.expire(53_000)
  await expect(lost).rejects.toMatchObject({ code: 'adnl_no_answer' })
})

test('an answer to a repeated query says nothing about the round trip', async () => {
  const queries = new OpenQueries()
  const asked = queries.add(id(1), query, 0, 60_000)
  expect(queries.takeLost(400)).toHaveLength(1)
  queries.answer(id(1), query, 30_000)
  await asked
  void queries.add(id(2), query, 60_000, 3_000)
  expect([queries.takeLost(60_399).length, queries.takeLost(60_400).length]).toEqual([0, 1])
})
