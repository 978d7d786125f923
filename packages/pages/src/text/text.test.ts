import { expect, test } from 'vitest'
import { formatDuration, formatUnits } from './numbers.ts'
import { cutText, visibleText } from './visible-text.ts'

test('what is invisible or turns the direction of text is shown by its number', () => {
  expect(visibleText('photo\u202egpj.exe')).toBe('photo⟨U+202E⟩gpj.exe')
  expect(visibleText('US\u200bDT')).toBe('US⟨U+200B⟩DT')
  expect(visibleText('a\u0000b\u{e0041}\u2066')).toBe('a⟨U+0000⟩b⟨U+E0041⟩⟨U+2066⟩')
  expect(visibleText('two\r\nlines')).toBe('two ⏎ lines')
  expect(visibleText('\ud800')).toBe('⟨U+D800⟩')
})

test('emoji that are joined stay whole, joiners elsewhere are shown', () => {
  expect(visibleText('👨‍👩‍👧')).toBe('👨‍👩‍👧')
  expect(visibleText('a\u200db')).toBe('a⟨U+200D⟩b')
})

test('marks do not pile up', () => {
  expect(visibleText(`a${'\u0301'.repeat(10_000)}b`)).toBe(`a${'\u0301'.repeat(4)}b`)
})

test('a name of a megabyte is cut without being read', () => {
  const { text, isWhole } = cutText('x'.repeat(1_000_000), 64)
  expect([text.length, isWhole]).toEqual([64, false])
  expect(cutText('👨‍👩‍👧'.repeat(3), 2).text).toBe('👨‍👩‍👧👨‍👩‍👧')
  expect(cutText('short', 64)).toEqual({ text: 'short', isWhole: true })
})

test('amounts are exact for every number of decimals', () => {
  expect(formatUnits('1234567891', 9)).toBe('1.234567891')
  expect(formatUnits('1234500000000', 9)).toBe('1,234.5')
  expect(formatUnits('-5', 9)).toBe('-0.000000005')
  expect(formatUnits('0', 0)).toBe('0')
  expect(formatUnits('7', 39)).toBe(`0.${'0'.repeat(38)}7`)
  for (const decimals of [-1, 255, 256, 1.5, Number.NaN]) expect(formatUnits('7', decimals)).toBeUndefined()
})

test('durations have two units at most', () => {
  expect([3.21, 59.6, 250, 3600, 90_000].map(formatDuration)).toEqual([
    ...['3.2 s', '1 min', '4 min 10 s', '1 h', '1 d 1 h'],
  ])
})
