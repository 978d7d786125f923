import { expect, test } from 'vitest'
import { ExportPace } from './export-pace.ts'

function simulated(givesWay: boolean) {
  const time = { now: 5_000, waited: 0 }
  const sleep = async (ms: number) => {
    time.waited += ms
  }
  const pace = new ExportPace({ givesWay, head: { turn: async () => {} } }, { now: () => time.now, sleep })
  return { pace, time }
}
const { signal } = new AbortController()

test('beside other requests an export takes half of the time, in small steps; alone all of it', async () => {
  const { pace, time } = simulated(true)
  await pace.rest(80, signal)
  expect([pace.rows, time.waited]).toEqual([500, 0])
  pace.note()
  time.now += 900
  await pace.rest(80, signal)
  expect([pace.rows, time.waited]).toEqual([100, 80])
  time.now += 200
  await pace.rest(80, signal)
  expect([pace.rows, time.waited]).toEqual([500, 80])
})

test('an export does not give way to itself', async () => {
  const { pace, time } = simulated(true)
  pace.note()
  pace.noteExport()
  await pace.rest(80, signal)
  expect([pace.rows, time.waited]).toEqual([500, 0])
})

test('with normal priority an export gives way to nobody but the head', async () => {
  const { pace, time } = simulated(false)
  pace.note()
  await pace.rest(80, signal)
  expect([pace.rows, time.waited]).toEqual([500, 0])
})
