import { randomFrom } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { QueryWindow } from './query-window.ts'

/** After this a query is given up. Milliseconds. */
const TIMEOUT_MS = 4_000
const random = randomFrom(testSeed())

/** Milliseconds at which a query of the time `now` is answered; undefined: never. */
type Node = (now: number) => number | undefined

/** A node that is always asked as much as its window allows, in simulated time. */
function ask(answerAt: Node, seconds: number) {
  const window = new QueryWindow()
  const open: { readonly sentAt: number; readonly endsAt: number; readonly isAnswered: boolean }[] = []
  let [answered, unanswered, most] = [0, 0, 0]
  const next = () => Math.min(...open.map(({ endsAt }) => endsAt))
  for (let now = 0; now < seconds * 1_000; now = next()) {
    for (const query of open.filter(({ endsAt }) => endsAt <= now)) {
      open.splice(open.indexOf(query), 1)
      if (query.isAnswered) window.answered(now - query.sentAt, now)
      else window.failed(query.sentAt, now)
      // The first seconds are for finding out.
      if (now > 10_000) query.isAnswered ? answered++ : unanswered++
    }
    while (open.length < window.limit) {
      const sentAt = now + window.delayMs(now)
      const at = answerAt(sentAt) ?? Number.POSITIVE_INFINITY
      const isAnswered = at <= sentAt + TIMEOUT_MS
      open.push({ sentAt, endsAt: isAnswered ? at : sentAt + TIMEOUT_MS, isAnswered })
      window.opened(open.length)
    }
    most = Math.max(most, open.length)
  }
  return { perSecond: answered / (seconds - 10), unanswered, most }
}

/** Sends one block after the other, of differing sizes, also those that are not awaited any more. */
function narrow(blockMs: number, roundTripMs: number): Node {
  let freeAt = 0
  return (now) => {
    freeAt = Math.max(freeAt, now) + blockMs * (0.5 + random())
    return freeAt + roundTripMs
  }
}

/** Silent beyond so many queries per second. */
function withBudget(perSecond: number, roundTripMs: number): Node {
  const begun: number[] = []
  return (now) => {
    while (begun[0]! <= now - 1_000) begun.shift()
    if (begun.length >= perSecond) return undefined
    begun.push(now)
    return now + roundTripMs
  }
}

test('a distant node is not idle between answers, and is asked for no more than it gives', () => {
  const far = ask((now) => now + 250 + 100 * random(), 60)
  expect(far.perSecond).toBeGreaterThan(40)
  expect(far.perSecond).toBeLessThan(72)
  expect(ask((now) => now + 20, 60).most).toBe(4)
})

test('a node that refuses by silence what is too much gets little more than it answers', () => {
  const { perSecond, unanswered } = ask(withBudget(20, 300), 610)
  expect(perSecond).toBeGreaterThan(12)
  expect(unanswered).toBeLessThan(600 * perSecond * 0.02)
})

test.each([1, 5, 20, 50])('nor does one %i ms away, which gives what it may', (roundTripMs) => {
  const { perSecond, unanswered } = ask(withBudget(72, roundTripMs), 310)
  expect(perSecond).toBeGreaterThan(40)
  expect(unanswered).toBeLessThan(300 * perSecond * 0.002)
})

test('a node near by without limits gives what it can, though it lacks a block now and then', () => {
  let asked = 0
  const node: Node = (now) => (++asked % 10_000 === 0 ? undefined : now + 5)
  expect(ask(node, 120).perSecond).toBeGreaterThan(600)
})

test('a distant node is asked as before soon after a loss, though more was lost meanwhile', () => {
  let asked = 0
  const isIn = (from: number, to: number, now: number) => now >= from * 1_000 && now < to * 1_000
  const node: Node = (now) => {
    if (isIn(110, 140, now)) asked++
    return isIn(60, 61, now) || isIn(80, 81, now) ? undefined : now + 150
  }
  ask(node, 150)
  expect(asked).toBeGreaterThan(30 * 40)
})

test.each([2, 10, 30])('what sends %i blocks per second is not overtaxed', (perSecond) => {
  const { perSecond: given, unanswered } = ask(narrow(1_000 / perSecond, 100), 120)
  expect(unanswered).toBe(0)
  expect(given).toBeGreaterThan(perSecond * 0.9)
})

test('a node that was distant for an hour and is behind a narrow line then loses little', () => {
  let [isFar, sent] = [true, 0]
  const line = narrow(200, 300)
  const { unanswered } = ask((now) => {
    if (++sent > 100_000) isFar = false
    return isFar ? now + 300 : line(now)
  }, 4_000)
  expect(sent).toBeGreaterThan(100_000)
  expect(unanswered).toBeLessThan(100)
})
