import { realTime } from '@shardwalk/concurrency'
import { expect, test } from 'vitest'
import { HeadFirst } from './head-first.ts'

/** Turns with simulated time, and how long each took; `lag`: blocks behind at a time. */
function simulated(most: number, lag: (at: number) => number) {
  let now = 0
  const looks: number[] = []
  const pauses: number[] = []
  const behind = async () => {
    looks.push(now)
    return lag(now)
  }
  const sleep = async (ms: number) => {
    now += ms
  }
  const onPause = (blocks: number) => void pauses.push(blocks)
  const head = new HeadFirst({ most, behind, onPause }, { now: () => now, sleep })
  const turn = async () => {
    const start = now
    await head.turn()
    return now - start
  }
  return { turn, looks, pauses }
}

test('an export pauses while the head lags, and goes on when it has caught up', async () => {
  const { turn, pauses } = simulated(5, (at) => (at < 3_000 ? 6 : 5))
  expect([await turn(), await turn(), pauses]).toEqual([3_000, 0, [6]])
})

test('a head that lags for hours slows an export down, but its reader does not give up', async () => {
  const { turn, pauses } = simulated(5, () => 100_000)
  expect([await turn(), await turn(), pauses]).toEqual([20_000, 20_000, [100_000, 100_000]])
})

test('rows are not held up by looks at the head: two a second, none if exports never pause', async () => {
  const often = simulated(5, () => 0)
  for (let i = 0; i < 100; i++) await often.turn()
  const never = simulated(0, () => 100)
  await never.turn()
  expect([often.looks, never.looks]).toEqual([[0], []])
})

test('who leaves does not wait for the head', async () => {
  const gone = new AbortController()
  const leave = async () => gone.abort(new Error('left'))
  const head = new HeadFirst({ most: 1, behind: async () => 2 }, { ...realTime, sleep: leave })
  await expect(head.turn(gone.signal)).rejects.toThrow('left')
})
