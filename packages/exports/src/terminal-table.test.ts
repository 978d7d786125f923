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

test('texts of strangers only appear: they move no cursor, turn no line and make no second one', () => {
  const hostile = ['\u001b[2J\u009b31mred', 'photo\u202egpj.exe', 'US\u200bDT', 'a\r\nb', '\tb\u0000']
  const table = terminalTable(
    ['\u001b]0;title\u0007'],
    hostile.map((text) => [text]),
  )
  expect(table.split('\n').length).toBe(2 + hostile.length)
  expect(table).not.toMatch(/[^\n\P{C}]/u)
  expect(table).toContain('photo\\u{202e}gpj.exe')
  const marks = terminalTable(['name'], [[`Z${'\u0301'.repeat(10_000)}`], ['A'.repeat(1_000_000)]])
  expect(marks.length).toBeLessThan(1000)
})

test('there may be any number of rows', () => {
  const lines = terminalTable(
    ['n'],
    Array.from({ length: 200_000 }, (_, n) => [`${n}`]),
  ).split('\n')
  expect([lines.length, lines[1], lines.at(-1)]).toEqual([200_002, '------', '199999'])
})
