import { expect, test } from 'vitest'
import { closest } from './closest.ts'

test.each([
  ['stauts', 'status'],
  ['indest', 'ingest'],
  ['apis', 'api'],
  ['netwrok', 'network'],
  ['qqqqqq', undefined],
  ['xy', undefined],
])('%s: the suggestion is %s', (given, meant) => {
  expect(closest(given, ['status', 'ingest', 'api', 'network', 'start'])).toBe(meant)
})
