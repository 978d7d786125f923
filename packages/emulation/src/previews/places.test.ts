import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { NoPlaceFree, Places } from './places.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Whether the work was done, else whose places were all taken. */
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => error instanceof NoPlaceFree && error.whose,
  )

test('who finds no place waits for one, two seconds at most, and clients take turns', async () => {
  const places = new Places(2)
  const begun: string[] = []
  const endings: (() => void)[] = []
  const ask = (client: string) =>
    outcomeOf(
      places.hold(client, () => {
        begun.push(client)
        return new Promise<void>((resolve) => endings.push(resolve))
      }),
    )
  const first = ask('a')
  const [second, third, fourth] = [ask('b'), ask('c'), ask('d')]
  expect(await ask('a')).toBe('client')
  expect([begun, places.count]).toEqual([['a', 'b'], 2])
  endings[0]!()
  expect(await first).toBe('done')
  expect([begun, places.count]).toEqual([['a', 'b', 'c'], 2])
  await vi.advanceTimersByTimeAsync(1_999)
  expect(await Promise.race([fourth, 'waits'])).toBe('waits')
  await vi.advanceTimersByTimeAsync(1)
  expect(await fourth).toBe('all')
  for (const end of endings.slice(1)) end()
  expect([await second, await third, places.count]).toEqual(['done', 'done', 0])
})

test('sixteen wait for each place, and who comes after them is refused at once', async () => {
  const places = new Places(2)
  let end = () => {}
  const stall = new Promise<void>((resolve) => {
    end = resolve
  })
  const asked = Array.from({ length: 34 }, (_, client) => outcomeOf(places.hold(`${client}`, () => stall)))
  expect(await outcomeOf(places.hold('late', () => stall))).toBe('all')
  end()
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['done']))
})

test('work that fails gives its place back', async () => {
  const places = new Places(1)
  const fail = () => places.hold('a', async () => Promise.reject(new Error('failed')))
  await expect(fail()).rejects.toThrow('failed')
  await expect(fail()).rejects.toThrow('failed')
  expect(places.count).toBe(0)
})
