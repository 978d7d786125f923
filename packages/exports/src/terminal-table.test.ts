import { expect, test } from 'vitest'
import { terminalTable, terminalText } from './terminal-table.ts'

test('texts of the chain do nothing in a terminal', () => {
  expect(terminalText('\u001b[31mred\u001b[0m')).toBe('\\u{1b}[31mred\\u{1b}[0m')
  expect(terminalText('exe.\u202egpj')).toBe('exe.\\u{202e}gpj')
  expect(terminalText('US\u200bDT\nnext')).toBe('US\\u{200b}DT\\nnext')
})

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
