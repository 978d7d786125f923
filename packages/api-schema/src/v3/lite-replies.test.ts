import { expect, test } from 'vitest'
import { parseExactJson } from '../v2/exact-json.ts'
import { V2Refusal } from '../v2/refusal.ts'
import { readLegacyStack } from '../v2/stack.ts'
import { readStackEntries } from './lite-replies.ts'

const stackOf = (json: string) => readLegacyStack(readStackEntries(parseExactJson(json)))

test('a number on the stack is a text or a JSON integer, exact beyond 2^53', () => {
  const numbers = ['"7"', '"0x7"', '7', '-7', '115792089237316195423570985008687907853269984665640564039457']
  expect(numbers.map((value) => stackOf(`[{"type":"num","value":${value}}]`))).toEqual(
    [7n, 7n, 7n, -7n, 115792089237316195423570985008687907853269984665640564039457n].map((value) => [
      { type: 'int', value },
    ]),
  )
})

test.each([
  '{"type":"num","value":1.5}',
  '{"type":"num","value":true}',
  '{"type":"num","value":null}',
  '{"type":"num"}',
  '{"type":"cell","value":7}',
  '{"type":"slice","value":7}',
  '{"type":"int","value":"7"}',
])('%s is refused', (entry) => {
  expect(() => stackOf(`[${entry}]`)).toThrow(V2Refusal)
})
