import { expect, test } from 'vitest'
import { ReadableEnvironments } from './readable-environments.ts'
import type { RunOutcome } from './tvm-worker.ts'

const ENVIRONMENT = { id: 1, config: '', libraries: '' }
const CRASH: RunOutcome = { type: 'failed', reason: 'crashed', message: '' }

test('a configuration with which the executor crashed once is tried again after a minute', async () => {
  let now = 0
  const outcomes = [CRASH, CRASH, { type: 'done' } as RunOutcome]
  const environments = new ReadableEnvironments({ run: async () => outcomes.shift()!, now: () => now })
  const unreadable = async (at: number) => {
    now = at
    await environments.examine(ENVIRONMENT)
    return [environments.isUnreadable(ENVIRONMENT), outcomes.length]
  }
  const found = []
  for (const at of [0, 59_999, 60_000, 120_000, 240_000]) found.push(await unreadable(at))
  expect(found).toEqual([
    [true, 2],
    [true, 2],
    [true, 1],
    [false, 0],
    [false, 0],
  ])
})
