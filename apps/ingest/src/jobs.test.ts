import { getEventListeners } from 'node:events'
import type { BatchFetcher } from '@shardwalk/pipeline'
import type { JobQueue, WorkOptions } from '@shardwalk/queue'
import { expect, test, vi } from 'vitest'
import { Jobs } from './jobs.ts'

const JOB = { name: 'index_history', from: 1, to: 1 } as const

/** The jobs of a queue that a test hands out; `range`: what gives their blocks. */
async function jobsOf(range: BatchFetcher['range']) {
  const lanes = new Map<string, WorkOptions>()
  const queue = {
    work: (options: WorkOptions) => {
      lanes.set(options.lane, options)
      return { close: async () => {} }
    },
  }
  const jobs = new Jobs({
    queue: queue as unknown as JobQueue,
    backfillConcurrency: 1,
    fetcher: { range } as BatchFetcher,
    decoder: { decode: async () => ({ transactions: 1 }) as never },
    sink: { indexedRanges: async () => [], commit: async () => {} },
    onCommit: () => {},
    onDone: () => {},
  })
  await jobs.run()
  const run = (signal: AbortSignal) => lanes.get('backfill')!.handle(JOB, { attempt: 1, signal })
  const runHead = (from: number) => {
    const job = { name: 'index_head', from, to: from } as const
    return lanes.get('head')!.handle(job, { attempt: 1, signal: new AbortController().signal })
  }
  return { jobs, run, runHead }
}

test('of a finished job the worker keeps nothing, and an abort ends one that runs', async () => {
  const combined = vi.spyOn(AbortSignal, 'any')
  const stopping = new AbortController()
  const { run } = await jobsOf(() => async () => ({}) as never)
  for (let job = 0; job < 3; job++) await run(stopping.signal)
  expect(combined).not.toHaveBeenCalled()
  combined.mockRestore()
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([])
  const { run: runForEver } = await jobsOf(() => () => new Promise(() => {}))
  const running = expect(runForEver(stopping.signal)).rejects.toThrow('stop')
  stopping.abort(new Error('stop'))
  await running
})

test('a job of the head that the same process took over from itself can be aborted', async () => {
  const fetched: (() => void)[] = []
  const { jobs, runHead } = await jobsOf(
    () => () => new Promise((resolve) => fetched.push(() => resolve({} as never))),
  )
  const silent = runHead(7)
  const second = runHead(7)
  const later = runHead(8)
  await expect.poll(() => fetched.length).toBe(3)
  fetched[0]!()
  await silent
  jobs.abortHeadJob(new Error('not indexed'))
  await expect(second).rejects.toThrow('not indexed')
  fetched[2]!()
  await later
})
