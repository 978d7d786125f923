import { expect, test } from 'vitest'
import { terminalTable } from './terminal-table.ts'

test('columns are aligned, null is nothing, and long values are cut', () => {
  const table = terminalTable(
    ['id', 'text'],
    [
      ['1', 'a'],
      ['22', null],
      ['3', 'x'.repeat(100)],
    ],
  )
  expect(table.split('\n')).toEqual([
    'id | text',
    `---+-${'-'.repeat(80)}`,
    '1  | a',
    '22 |',
    `3  | ${'x'.repeat(79)}…`,
  ])
})
