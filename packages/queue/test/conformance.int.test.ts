import { IndexerError } from '@shardwalk/model'
import { hasRedisServer } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openBackend } from '../src/backends.ts'
import { type Job, JobQueue, type JobWorker, type QueueEvent, type WorkOptions } from '../src/index.ts'
import { postgresStore, redisStore, type TestStore } from './stores.ts'

const STORES: Record<string, () => Promise<TestStore>> = { PostgreSQL: postgresStore }
if (hasRedisServer() || process.env['CI']) STORES['Redis'] = redisStore
else
  console.warn(
    'redis-server is not installed: the queue is NOT tested on Redis here (it is required when CI is set)',
  )

const NETWORK = Buffer.alloc(32, 1)
const OTHER_NETWORK = Buffer.alloc(32, 2)

class Hopeless extends IndexerError {
  readonly code = 'hopeless'
  readonly retry = 'never'
}

const head = (from: number, to = from): Job => ({ name: 'index_head', from, to })
const gap = (from: number, to = from): Job => ({ name: 'index_gap', from, to })
const history = (from: number, to = from): Job => ({ name: 'index_history', from, to })

describe.each(Object.entries(STORES))('queue on %s', (_name, openStore) => {
  let place: TestStore
  let queue: JobQueue
  let workers: JobWorker[]
  let events: QueueEvent[]

  beforeAll(async () => {
    place = await openStore()
  })
  afterAll(() => place.close())
  beforeEach(async () => {
    workers = []
    events = []
    queue = await JobQueue.open({
      store: place.store,
      network: NETWORK,
      stalledAfterMs: 800,
      onEvent: (event) => events.push(event),
    })
    await queue.clear()
  })
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close(2_000)))
    await queue.close()
  })

  /**
   * Works on a lane; the promises resolve when a job has run, and `done` lists jobs in order of completion.
   */
  const work = (options: Partial<WorkOptions>) => {
    const done: string[] = []
    const waiting: { count: number; resolve: () => void }[] = []
    const worker = queue.work({
      lane: 'backfill',
      concurrency: 1,
      ...options,
      handle: async (job, handling) => {
        await options.handle?.(job, handling)
        done.push(`${job.name} ${job.from}`)
        for (const { count, resolve } of waiting) if (done.length >= count) resolve()
      },
    })
    workers.push(worker)
    const until = (count: number) =>
      new Promise<void>((resolve) => {
        if (done.length >= count) resolve()
        else waiting.push({ count, resolve })
      })
    return { done, until, worker }
  }

  test('jobs after a block are removed from both lanes, delayed ones too, running ones not', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await queue.add([gap(95), gap(96)])
    work({
      async handle({ from }) {
        if (from === 95) throw new Error('again')
        await released
      },
    })
    const states = async () => {
      const found = [...(await queue.outstanding('head')), ...(await queue.outstanding('backfill'))]
      return found.map(({ job, state }) => `${job.from} ${state}`).sort()
    }
    await expect.poll(states).toContain('96 active')
    await queue.add([head(50), head(51), gap(10, 60), history(80, 90)])
    expect(await states()).toHaveLength(6)
    await queue.removeAfter(50)
    expect(await states()).toEqual(['10 waiting', '50 waiting', '96 active'])
    release()
  })

  test('the same work is queued once while it waits, and can be queued again when done', async () => {
    await queue.add([gap(1, 31), gap(1, 31)])
    await queue.add([gap(1, 31)])
    expect(await queue.outstanding('backfill')).toEqual([{ job: gap(1, 31), state: 'waiting' }])
    const { done, until } = work({})
    await until(1)
    await expect.poll(() => queue.outstanding('backfill')).toEqual([])
    await queue.add([gap(1, 31)])
    await until(2)
    expect(done).toEqual(['index_gap 1', 'index_gap 1'])
  })

  test('gaps go before history, and equal jobs in order of arrival', async () => {
    await queue.add([history(1), history(2)])
    await queue.add([gap(90), gap(80)])
    const { done, until } = work({})
    await until(4)
    expect(done).toEqual(['index_gap 90', 'index_gap 80', 'index_history 1', 'index_history 2'])
  })

  test('the head does not wait for a busy backfill', async () => {
    let release = () => {}
    const busy = new Promise<void>((resolve) => {
      release = resolve
    })
    const backfill = work({ handle: () => busy })
    await queue.add([history(1)])
    const newest = work({ lane: 'head' })
    await queue.add([head(7)])
    await newest.until(1)
    expect(backfill.done).toEqual([])
    release()
    await backfill.until(1)
  })

  test('no more jobs run concurrently than configured', async () => {
    let running = 0
    let most = 0
    const { until } = work({
      concurrency: 3,
      handle: async () => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 30))
        running--
      },
    })
    await queue.add(Array.from({ length: 12 }, (_, i) => history(i + 1)))
    await until(12)
    expect(most).toBe(3)
  })

  test('a failing job runs again after a delay until it succeeds', async () => {
    const attempts: number[] = []
    const { until } = work({
      lane: 'head',
      handle: async (_job, { attempt }) => {
        attempts.push(attempt)
        if (attempt < 3) throw new Error('not yet')
      },
    })
    await queue.add([head(5)])
    await until(1)
    expect(attempts).toEqual([1, 2, 3])
    expect(events.filter((event) => event.type === 'failed')).toMatchObject([
      { job: head(5), willRetry: true, isStopping: false },
      { job: head(5), willRetry: true, isStopping: false },
    ])
  })

  test('a job that can never succeed is kept as failed and can be removed', async () => {
    work({
      handle: async () => {
        throw new Hopeless('wrong network')
      },
    })
    await queue.add([history(3)])
    await expect.poll(() => queue.outstanding('backfill')).toEqual([{ job: history(3), state: 'failed' }])
    // It comes after what is stored.
    await expect.poll(() => events).toMatchObject([{ type: 'failed', willRetry: false }])
    expect(await queue.removeFailed(60_000)).toBe(0)
    expect(await queue.removeFailed(0)).toBe(1)
    expect(await queue.outstanding('backfill')).toEqual([])
  })

  test('a payload that is not a job is refused when sent and not handled when received', async () => {
    await expect(queue.add([{ name: 'index_head', from: 9, to: 3 }])).rejects.toThrow(
      /from must not be after to/,
    )
    await expect(queue.add([{ name: 'index_head', from: 1, to: 2, bytes: 'x' } as Job])).rejects.toThrow(
      /bytes/,
    )
    const foreign = (await openBackend(place.store, NETWORK)).queue('backfill')
    await foreign.add('index_history', { from: 'one' }, { jobId: 'foreign' })
    const { done, until } = work({})
    await queue.add([history(1)])
    await until(1)
    await expect
      .poll(() => events.filter((event) => event.type === 'failed'))
      .toMatchObject([{ willRetry: false }])
    expect(done).toEqual(['index_history 1'])
    await foreign.close()
  })

  test('a job whose worker stopped responding is given to another worker', async () => {
    let began = () => {}
    const started = new Promise<void>((resolve) => {
      began = resolve
    })
    const hang = () => {
      began()
      return new Promise<void>(() => {})
    }
    // Takes a job and never renews its lock, like a killed process.
    const silent = (await openBackend(place.store, NETWORK)).worker('backfill', hang, {
      lockDuration: 500,
      skipLockRenewal: true,
      skipStalledCheck: true,
    })
    silent.on('error', () => {})
    await queue.add([history(4)])
    await started
    const { done, until } = work({})
    await until(1)
    expect(done).toEqual(['index_history 4'])
    await expect.poll(() => events).toContainEqual({ type: 'stalled', id: 'mc-4-4' })
    await silent.close(true)
  })

  test('a job that does not end is returned to the queue when its worker closes', async () => {
    let began = () => {}
    const started = new Promise<void>((resolve) => {
      began = resolve
    })
    const stuck = work({
      handle: () => {
        began()
        return new Promise(() => {})
      },
    })
    await queue.add([history(6)])
    await started
    await stuck.worker.close(500)
    const { done, until } = work({})
    await until(1)
    expect(done).toEqual(['index_history 6'])
  })

  test('a closing worker aborts its running job, which runs again elsewhere', async () => {
    let began = () => {}
    const started = new Promise<void>((resolve) => {
      began = resolve
    })
    const first = work({
      handle: (_job, { signal }) => {
        began()
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    })
    await queue.add([history(8)])
    await started
    await first.worker.close(2_000)
    const second = work({})
    await second.until(1)
    expect(second.done).toEqual(['index_history 8'])
    expect(events).toMatchObject([{ type: 'failed', willRetry: true, isStopping: true }])
  })

  test('networks that share a store never see the jobs of each other', async () => {
    const other = await JobQueue.open({ store: place.store, network: OTHER_NETWORK })
    try {
      await other.clear()
      await other.add([history(1)])
      await queue.add([history(2)])
      expect((await other.outstanding('backfill')).map(({ job }) => job.from)).toEqual([1])
      const { done, until } = work({})
      await until(1)
      expect(done).toEqual(['index_history 2'])
      await queue.clear()
      expect((await other.outstanding('backfill')).map(({ job }) => job.from)).toEqual([1])
    } finally {
      await other.clear()
      await other.close()
    }
  })

  test('after the store is lost, the same work can be queued again', async () => {
    await queue.add([history(1), history(2)])
    await queue.clear()
    expect(await queue.outstanding('backfill')).toEqual([])
    await queue.add([history(1), history(2)])
    const { until } = work({})
    await until(2)
  })
})
