import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Places } from './places.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    ({ status }: { status: number }) => status,
  )

test('who finds no place waits for one, two seconds at most, and clients take turns', async () => {
  const places = new Places(2)
  const begun: string[] = []
  const endings: (() => void)[] = []
  const ask = (client: string) =>
    statusOf(
      places.hold(client, () => {
        begun.push(client)
        return new Promise<void>((resolve) => endings.push(resolve))
      }),
    )
  const first = ask('a')
  const [second, third, fourth] = [ask('b'), ask('c'), ask('d')]
  expect(await ask('a')).toBe(429)
  expect([begun, places.count]).toEqual([['a', 'b'], 2])
  endings[0]!()
  expect(await first).toBe(200)
  expect([begun, places.count]).toEqual([['a', 'b', 'c'], 2])
  await vi.advanceTimersByTimeAsync(1_999)
  expect(await Promise.race([fourth, 'waits'])).toBe('waits')
  await vi.advanceTimersByTimeAsync(1)
  expect(await fourth).toBe(503)
  for (const end of endings.slice(1)) end()
  expect([await second, await third, places.count]).toEqual([200, 200, 0])
})

test('sixteen wait for each place, and who comes after them is refused at once', async () => {
  const places = new Places(2)
  let end = () => {}
  const stall = new Promise<void>((resolve) => {
    end = resolve
  })
  const asked = Array.from({ length: 34 }, (_, client) => statusOf(places.hold(`${client}`, () => stall)))
  expect(await statusOf(places.hold('late', () => stall))).toBe(503)
  end()
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
})

test('work that fails gives its place back', async () => {
  const places = new Places(1)
  const fail = () => places.hold('a', async () => Promise.reject(new Error('failed')))
  await expect(fail()).rejects.toThrow('failed')
  await expect(fail()).rejects.toThrow('failed')
  expect(places.count).toBe(0)
})
