import { expect, test } from 'vitest'
import { Line } from './line.ts'

/** Sends something again whenever the line has been silent for too long. Returns the number of attempts. */
function ask(line: Line, roundTripMs: number, isLost: (attempt: number) => boolean = () => false): number {
  let lastAt = 0
  let answerAt = Number.POSITIVE_INFINITY
  for (let attempt = 1; ; attempt++) {
    if (!isLost(attempt)) answerAt = Math.min(answerAt, lastAt + roundTripMs)
    const nextAt = lastAt + Math.min(2_400, line.silenceMs * 2 ** (attempt - 1))
    if (answerAt < nextAt) {
      line.answeredAfter(answerAt, answerAt - lastAt)
      return attempt
    }
    lastAt = nextAt
  }
}

test('a line of any length is known after at most four answers, whatever its first wait was', () => {
  for (let roundTripMs = 1; roundTripMs <= 1_000; roundTripMs++) {
    const line = new Line()
    for (let query = 0; query < 4; query++) ask(line, roundTripMs)
    expect(ask(line, roundTripMs), `${roundTripMs} ms`).toBe(1)
  }
})

test('a line whose first attempt is lost is known as if it had not been', () => {
  for (const roundTripMs of [2, 20, 80]) {
    const line = new Line()
    expect(ask(line, roundTripMs, (attempt) => attempt === 1)).toBe(2)
    expect(line.silenceMs).toBe(Math.max(20, 3 * roundTripMs))
    expect(ask(line, roundTripMs)).toBe(1)
    expect(line.silenceMs).toBe(Math.max(20, 3 * roundTripMs))
  }
})

test('an answer to one of several attempts changes nothing of what is known', () => {
  const line = new Line()
  ask(line, 20)
  const { silenceMs } = line
  ask(line, 20, (attempt) => attempt === 1)
  expect(line.silenceMs).toBe(silenceMs)
})
