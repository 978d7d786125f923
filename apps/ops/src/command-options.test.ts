import { expect, test } from 'vitest'
import { takeOptions } from './command-options.ts'

const KINDS = { c: 'value', csv: 'switch', from: 'value' } as const

test('options of a command are taken out, what belongs to settings stays', () => {
  expect(takeOptions(['sql', '--csv', '-c', 'select -1', '--from=5', '--data-dir', 'x'], KINDS)).toEqual({
    options: { csv: true, c: 'select -1', from: '5' },
    rest: ['sql', '--data-dir', 'x'],
  })
})

test.each([
  [['-c'], '-c: a value is missing'],
  [['--from', '--csv'], '--from: a value is missing'],
  [['--csv=yes'], '--csv: takes no value'],
])('%j is refused', (argv, message) => {
  expect(() => takeOptions(argv, KINDS)).toThrow(message)
})
