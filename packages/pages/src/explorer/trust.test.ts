import { expect, test } from 'vitest'
import { labelOf } from './trust.ts'

const USDT = '0:B113A994B5024A16719F69139328EB759596C38A25F59028B146FECDC3621DFE'
const OTHER = `0:${'AB'.repeat(32)}`
const wordOf = (raw: string, symbol: string) => labelOf(raw, { name: undefined, symbol, isScam: false })?.word

test.each(['USDT', 'USDТ', 'USD₮', 'US\u200bDT', 'u s d t', '$USDC'.replace('$', ''), 'TON', 'Т0N'])(
  '%s of another master is suspicious',
  (symbol) => {
    expect(wordOf(OTHER, symbol)).toBe('Suspicious')
  },
)

test('the token itself is verified, what the operator flagged is a scam, others are neither', () => {
  expect(wordOf(USDT, 'USD₮')).toBe('Verified')
  expect(labelOf(USDT, { name: 'x', symbol: 'x', isScam: true })?.word).toBe('Scam')
  expect(wordOf(OTHER, 'DOGS')).toBeUndefined()
  expect(wordOf(OTHER, 'РАХ')).toBeUndefined()
  expect(wordOf(OTHER, 'PAХ')).toBe('Suspicious')
})
