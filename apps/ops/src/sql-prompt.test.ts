import type { FreeSession } from '@shardwalk/db'
import { expect, test } from 'vitest'
import { type Printing, runStatement } from './sql-prompt.ts'

/** Names, symbols and comments as strangers write them. */
const HOSTILE = ['\u001b[2J\u001b]0;title\u0007', 'photo\u202egpj.exe', '\u009b31mred', 'a\r\nb', '=1+cmd|x']

async function printed(to: Omit<Printing, 'print'>): Promise<string> {
  const texts: string[] = []
  const found = { columns: ['name', '\u001bm'], rows: HOSTILE.map((text) => [text, null]), command: '' }
  const session = { run: async () => found } as unknown as FreeSession
  await runStatement(session, 'select', { ...to, print: (text) => void texts.push(text) })
  return texts.join('\n')
}

test('sql: a name that a stranger chose controls no terminal, in columns or as CSV', async () => {
  for (const to of [{ csv: false }, { csv: true, isTerminal: true }]) {
    const text = await printed(to)
    expect(text).not.toMatch(/[^\n\P{C}]/u)
    expect(text).toContain('photo\\u{202e}gpj.exe')
  }
})

test('sql: CSV for a file has texts as they are; --csv-safe leaves a spreadsheet no formula', async () => {
  expect(await printed({ csv: true, isTerminal: false })).toContain(`${HOSTILE[0]},\n${HOSTILE[1]},`)
  expect(await printed({ csv: true, isTerminal: false })).toMatch(/^=1/m)
  const safe = await printed({ csv: true, csvSafe: true, isTerminal: false })
  expect(safe).toMatch(/^'=1\+cmd\|x,$/m)
  expect(safe).not.toMatch(/^=/m)
})
