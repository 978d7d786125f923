import { masterchainId } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import type { Job } from '@shardwalk/queue'
import { expect, test } from 'vitest'
import { HeadFollower } from './head-follower.ts'
import { IngestState } from './state.ts'

const idOf = (seqno: number) => ({
  ...masterchainId(seqno),
  rootHash: Buffer.alloc(32),
  fileHash: Buffer.alloc(32),
})

test('a head that no server reports any more is given up, and the chain followed again', async () => {
  const jobs: Job[] = []
  const state = new IngestState()
  let reported = 4_000_000_000
  const stopping = new AbortController()
  const follower = new HeadFollower({
    ...{ state, log: silentLogger, fetcher: { learn: () => {} } },
    queue: { add: async (added) => void jobs.push(...added) },
    source: {
      head: async () => idOf(reported),
      waitForMasterchain: async (seqno) => {
        await new Promise((resolve) => setTimeout(resolve, 10))
        return reported >= seqno ? idOf(reported) : undefined
      },
    },
  })
  const run = follower.run(stopping.signal)
  try {
    await expect.poll(() => state.head).toBe(4_000_000_000)
    reported = 1_000
    await expect.poll(() => state.head).toBe(1_000)
    for (reported = 1_001; reported <= 1_003; reported++) await expect.poll(() => state.head).toBe(reported)
    await expect.poll(() => jobs.at(-1)?.to).toBe(1_003)
    expect(state.settledHead(0)).toBeLessThanOrEqual(1_003)
  } finally {
    stopping.abort()
    await run
  }
})

test('a head that one of two sources reports is not given up because the other one is behind', async () => {
  const state = new IngestState()
  const stopping = new AbortController()
  let [waits, withdrawn] = [0, 0]
  const follower = new HeadFollower({
    ...{ state, fetcher: { learn: () => {} }, queue: { add: async () => {} } },
    log: { ...silentLogger, warn: () => void withdrawn++ },
    source: {
      head: async () => idOf(1_000),
      waitForMasterchain: async (seqno) => {
        waits++
        await new Promise((resolve) => setTimeout(resolve, 10))
        return seqno <= 9_000 ? idOf(9_000) : undefined
      },
    },
  })
  const run = follower.run(stopping.signal)
  await expect.poll(() => waits).toBeGreaterThan(10)
  expect([state.head, withdrawn]).toEqual([9_000, 0])
  stopping.abort()
  await run
})
