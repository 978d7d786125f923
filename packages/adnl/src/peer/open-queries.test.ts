import { expect, test } from 'vitest'
import { OpenQueries } from './open-queries.ts'

const bytes = Buffer.from('query')
const query = (number: number) => ({ id: Buffer.alloc(32, number), bytes })

/** Milliseconds after `from` at which queries are sent again until then. */
function repeatsOf(queries: OpenQueries, from: number, until: number): number[] {
  const sentAgainAt: number[] = []
  for (let now = from; now < until; now += 5)
    if (queries.takeLost(now).length > 0) sentAgainAt.push(now - from)
  return sentAgainAt
}

/** Asks `count` queries, one a second. Each is answered after `tookMs`, however often it was sent. */
async function exchange(queries: OpenQueries, count: number, tookMs: number, from = 0): Promise<void> {
  for (let i = 0; i < count; i++) {
    const now = from + 1_000 * i
    const asked = queries.add(query(i), now, 3_000)
    repeatsOf(queries, now, now + tookMs)
    queries.answer(query(i).id, Buffer.of(i), now + tookMs)
    expect(await asked).toEqual(Buffer.of(i))
  }
}

test('a query is repeated after the measured round trip, then ever later, but often enough', async () => {
  const queries = new OpenQueries()
  await exchange(queries, 30, 100)
  const lost = queries.add(query(99), 50_000, 3_000)
  const pauses = repeatsOf(queries, 50_000, 53_000).map((at, i, all) => at - (all[i - 1] ?? 0))
  expect(pauses[0]).toBeLessThan(150)
  expect(pauses[1]).toBeGreaterThan(1.5 * pauses[0]!)
  expect(pauses.length).toBeGreaterThanOrEqual(7)
  for (const pause of pauses) expect(pause).toBeLessThanOrEqual(380)
  queries.expire(53_000)
  await expect(lost).rejects.toMatchObject({ code: 'adnl_no_answer' })
})

test('one late answer at first does not make later repetitions late', async () => {
  const queries = new OpenQueries()
  await exchange(queries, 1, 340)
  await exchange(queries, 3, 20, 10_000)
  void queries.add(query(99), 50_000, 3_000)
  expect(repeatsOf(queries, 50_000, 53_000)[0]).toBeLessThan(400)
})

test('nobody is asked again before answers usually arrive, also where they have become slower', async () => {
  for (const tookMs of [150, 300, 600, 900]) {
    const queries = new OpenQueries()
    // What was measured is a tenth of what it takes now, or nothing.
    if (tookMs !== 300) await exchange(queries, 10, tookMs / 10)
    await exchange(queries, 20, tookMs, 20_000)
    void queries.add(query(99), 50_000, 1_500)
    expect(repeatsOf(queries, 50_000, 51_500)[0], `${tookMs} ms`).toBeGreaterThanOrEqual(tookMs)
  }
})

test('whoever asks is notified once that an answer is late', () => {
  const queries = new OpenQueries()
  let lateCalls = 0
  void queries.add({ ...query(1), onLate: () => lateCalls++ }, 0, 3_000)
  repeatsOf(queries, 0, 300)
  expect(lateCalls).toBe(0)
  repeatsOf(queries, 300, 2_900)
  expect(lateCalls).toBe(1)
})
