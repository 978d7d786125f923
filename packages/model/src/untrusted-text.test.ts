import { expect, test } from 'vitest'
import { terminalJson, terminalText } from './untrusted-text.ts'

test('texts of the chain do nothing in a terminal', () => {
  expect(terminalText('\u001b[31mred\u001b[0m')).toBe('\\u{1b}[31mred\\u{1b}[0m')
  expect(terminalText('\u009b31mred')).toBe('\\u{9b}31mred')
  expect(terminalText('exe.\u202egpj')).toBe('exe.\\u{202e}gpj')
  expect(terminalText('US\u200bDT\nnext')).toBe('US\\u{200b}DT\\nnext')
  expect(terminalText('tag \u{e0041}')).toBe('tag \\u{e0041}')
  expect(terminalText(`Z${'\u0301'.repeat(100)}`)).toHaveLength(5)
  expect(terminalText('Тон ≥ 1 🙂')).toBe('Тон ≥ 1 🙂')
})

test('JSON for a terminal has no active character and is the same value', () => {
  const value = { a: 'x\u009b\u202e\u200b\u{e0041}\u001b\ud800 🙂', 'b\u2066': ['\n\t'] }
  for (const indent of [undefined, 2]) {
    const json = terminalJson(JSON.stringify(value, undefined, indent))
    expect(JSON.parse(json)).toEqual(value)
    expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  }
})
