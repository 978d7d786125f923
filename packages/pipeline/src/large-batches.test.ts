import { generatedChain, generatedSource } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { BatchFetcher, type DecodedBatch, type Decoder, indexRange } from './index.ts'

const LAST = 40
const HUNDRED_MIB = 100 * 2 ** 20
const SMALL = { accounts: 1, transactions: 1, sizes: { cells: 2, dictionary: 2, depth: 2 } } as const
const steps = [...generatedChain({ seed: 35, steps: LAST, workchains: [], ...SMALL })]

/** Batches per transaction, and how many were decoded and not written at the beginning of each. */
async function indexAll(size: number) {
  const groups: number[] = []
  const held: number[] = []
  let decoded = 0
  let written = 0
  const decoder: Decoder<number> = {
    async decode(raw) {
      decoded++
      const nothing = { undecodable: [], unread: [], blocks: 1, transactions: 1 }
      return { mcBlockSeqno: raw.mcBlockSeqno, raw, encoded: 1, ...nothing, size }
    },
  }
  const sink = {
    indexedRanges: async () => [],
    async commit(batches: readonly DecodedBatch<number>[]) {
      // What has been begun is decoded meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 5))
      groups.push(batches.length)
      held.push(decoded - written)
      written += batches.length
    },
  }
  const fetcher = new BatchFetcher(generatedSource(steps))
  const { signal } = new AbortController()
  await indexRange({ from: 1, to: LAST }, { fetcher, decoder, sink, urgent: false, signal })
  expect(written).toBe(LAST)
  return { groups, held }
}

test('of batches with many rows few are kept in memory, and few are written at once', async () => {
  const { groups, held } = await indexAll(HUNDRED_MIB)
  expect(Math.max(...groups)).toBe(2)
  // The first ones were begun before anything was known of them.
  expect(Math.max(...held.slice(10))).toBeLessThanOrEqual(5)
})

test('usual ones are decoded ahead and written together', async () => {
  const { groups, held } = await indexAll(4 * 2 ** 20)
  expect(Math.max(...groups)).toBeGreaterThanOrEqual(8)
  expect(Math.max(...held)).toBeGreaterThanOrEqual(12)
})
