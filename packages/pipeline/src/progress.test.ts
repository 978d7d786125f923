import { MASTERCHAIN } from '@shardwalk/model'
import { generatedChain, generatedSource } from '@shardwalk/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BatchFetcher, type BlockSource, type DecodedBatch, type Decoder, indexRange } from './index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const decoder: Decoder<number> = {
  decode: async (raw) => ({
    ...{ mcBlockSeqno: raw.mcBlockSeqno, raw, encoded: 1, undecodable: [], unread: [] },
    ...{ blocks: 1, transactions: 1 },
  }),
}

/** One block of a shard in a second. */
function slowly(source: BlockSource): BlockSource {
  let free: Promise<unknown> = Promise.resolve()
  return {
    ...source,
    async getBlock(id, options) {
      if (id.workchain !== MASTERCHAIN)
        await (free = free.then(() => new Promise((done) => setTimeout(done, 1_000))))
      return source.getBlock(id, options)
    },
  }
}

test.each([true, false])('each block that arrives is progress, urgent: %s', async (urgent) => {
  const steps = [...generatedChain({ seed: 35, steps: 4, isRestless: true, accounts: 4, transactions: 1 })]
  const count = steps.reduce((sum, { shards }) => sum + shards.length, 0)
  expect(count).toBeGreaterThan(15)
  let quietSince = Date.now()
  let longest = 0
  const onProgress = () => {
    longest = Math.max(longest, Date.now() - quietSince)
    quietSince = Date.now()
  }
  const committed: number[] = []
  const sink = {
    indexedRanges: async () => [],
    commit: async (batches: readonly DecodedBatch<number>[]) => {
      committed.push(...batches.map(({ mcBlockSeqno }) => mcBlockSeqno))
    },
  }
  const fetcher = new BatchFetcher(slowly(generatedSource(steps)))
  const { signal } = new AbortController()
  const startedAt = Date.now()
  const work = indexRange({ from: 1, to: 4 }, { fetcher, decoder, sink, urgent, signal, onProgress })
  await vi.runAllTimersAsync()
  await work
  expect(committed).toEqual([1, 2, 3, 4])
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000 * count)
  expect(longest).toBeLessThanOrEqual(1_000)
})
