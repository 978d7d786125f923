import type { EncodedBatch } from '@shardwalk/db'
import type { DecodedBatch } from '@shardwalk/pipeline'
import type { Job, JobQueue } from '@shardwalk/queue'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Jobs, type JobsOptions } from './jobs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Handle = Parameters<JobQueue['work']>[0]['handle']

/** Jobs of one block each. `ends`: end the transactions in the order in which they began. */
async function setUp() {
  const ends: (() => void)[] = []
  const handles = new Map<string, Handle>()
  const fetched: number[] = []
  const options = {
    backfillConcurrency: 8,
    queue: { work: ({ lane, handle }: { lane: string; handle: Handle }) => handles.set(lane, handle) },
    fetcher: {
      range: () => async (seqno: number) => {
        fetched.push(seqno)
        return seqno
      },
    },
    decoder: {
      decode: async (seqno: number) =>
        ({ mcBlockSeqno: seqno, transactions: 1 }) as unknown as DecodedBatch<EncodedBatch>,
    },
    sink: {
      indexedRanges: async () => [],
      commit: () => new Promise<void>((resolve) => ends.push(resolve)),
    },
    onCommit: () => {},
    onDone: () => {},
  }
  const jobs = new Jobs(options as unknown as JobsOptions)
  await jobs.run()
  const index = (seqno: number) => {
    const job = { name: 'index_backfill', from: seqno, to: seqno } as unknown as Job
    const { signal } = new AbortController()
    return (handles.get('backfill') as Handle)(job, { signal } as Parameters<Handle>[1])
  }
  return { index, ends, fetched }
}

test('history that waits for its turn for minutes is neither cancelled nor fetched again', async () => {
  const { index, ends, fetched } = await setUp()
  const running = [index(1), index(2)].map((job) => job.catch((error: Error) => error.message))
  await vi.advanceTimersByTimeAsync(60_000)
  const waiting = index(3)
  waiting.catch(() => {})
  await vi.advanceTimersByTimeAsync(300_000)
  expect(await Promise.all(running)).toEqual(Array(2).fill('no progress within 120000 ms'))
  expect(ends).toHaveLength(2)
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(1)
  ends[2]?.()
  await waiting
  expect(fetched).toEqual([1, 2, 3])
})

test('history whose transaction says nothing is cancelled', async () => {
  const { index } = await setUp()
  const one = index(1).catch((error: Error) => error.message)
  await vi.advanceTimersByTimeAsync(121_000)
  expect(await one).toBe('no progress within 120000 ms')
})
