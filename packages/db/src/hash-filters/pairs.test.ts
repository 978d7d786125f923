import { expect, test } from 'vitest'
import { blockOf } from './layout.ts'
import { pairKeys } from './pairs.ts'

const ids = [0n, 1n, 2n, 255n, 2n ** 31n, 2n ** 32n, 2n ** 32n + 1n, 2n ** 62n]

test('a message has a key for each two of its values', () => {
  const all = pairKeys({ source: 1n, destination: 2n, opcode: -3n })
  expect(all).toHaveLength(3)
  expect(pairKeys({ source: 1n, destination: 2n })).toEqual([all[0]])
  expect(pairKeys({ source: 1n, opcode: -3n })).toEqual([all[1]])
  expect(pairKeys({ destination: 2n, opcode: -3n })).toEqual([all[2]])
  for (const values of [{}, { source: 1n }, { destination: 2n }, { opcode: 0n }])
    expect(pairKeys(values)).toEqual([])
})

test('keys of different pairs differ, in every word', () => {
  const keys = ids.flatMap((source) =>
    ids.flatMap((destination) => pairKeys({ source, destination, opcode: -1n })),
  )
  const pairs = ids.length ** 2 + 2 * ids.length
  for (let word = 0; word < 16; word += 4)
    expect(new Set(keys.map((key) => key.readInt32BE(word))).size).toBe(pairs)
})

test('keys of ids that follow each other are spread over all blocks', () => {
  const blocks = 64
  const counts = new Array<number>(blocks).fill(0)
  for (let n = 0n; n < 6400n; n++) {
    const [key] = pairKeys({ source: 1000n + (n % 80n), destination: 5000n + n / 80n })
    counts[blockOf(key!, 0, blocks)]!++
  }
  // 100 each; six standard deviations.
  expect(Math.min(...counts)).toBeGreaterThan(40)
  expect(Math.max(...counts)).toBeLessThan(160)
})
