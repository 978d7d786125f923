import type { Job, JobQueue } from '@shardwalk/queue'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Jobs, type JobsOptions } from './jobs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Handle = Parameters<JobQueue['work']>[0]['handle']

/** A job whose batches are never complete; `arrive`: a block of them arrives. */
async function begin(lane: 'head' | 'backfill') {
  const handles = new Map<string, Handle>()
  let arrive = () => {}
  const options = {
    backfillConcurrency: 1,
    queue: { work: (worker: { lane: string; handle: Handle }) => handles.set(worker.lane, worker.handle) },
    fetcher: {
      range: (_: unknown, __: unknown, onBlock: () => void) => {
        arrive = onBlock
        return () => new Promise(() => {})
      },
    },
    decoder: {},
    sink: { indexedRanges: async () => [] },
    onCommit: () => {},
    onDone: () => {},
  }
  await new Jobs(options as unknown as JobsOptions).run()
  const job = { name: lane === 'head' ? 'index_head' : 'index_backfill', from: 1, to: 1 } as unknown as Job
  const { signal } = new AbortController()
  const ended = vi.fn()
  handles.get(lane)!(job, { signal } as Parameters<Handle>[1]).catch(({ message }: Error) => ended(message))
  await vi.advanceTimersByTimeAsync(0)
  return { ended, arrive: () => arrive() }
}

test.each([
  ['head', 10],
  ['backfill', 120],
] as const)(
  'a job of the %s goes on while blocks arrive, and ends %d s after the last',
  async (lane, seconds) => {
    const { ended, arrive } = await begin(lane)
    for (let block = 0; block < 50; block++) {
      await vi.advanceTimersByTimeAsync(seconds * 900)
      arrive()
    }
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(seconds * 1_000)
    expect(ended).toHaveBeenCalledWith(`no progress within ${seconds * 1_000} ms`)
    arrive()
    expect(vi.getTimerCount()).toBe(0)
  },
)
