import { hasRedisServer } from '@shardwalk/testkit'
import { afterEach, expect, test, vi } from 'vitest'
import { openBackend } from '../src/backends.ts'
import { type Job, JobQueue } from '../src/index.ts'
import { postgresStore, redisStore } from './stores.ts'

const OPENERS = [
  ['PostgreSQL', postgresStore] as const,
  ...(hasRedisServer() || process.env['CI'] ? [['Redis', redisStore] as const] : []),
]
const network = Buffer.alloc(32, 1)
const head = (seqno: number): Job => ({ name: 'index_head', from: seqno, to: seqno })

afterEach(() => void vi.useRealTimers())

test.each(OPENERS)(
  'jobs of a clock that was an hour ahead run after it was set back, in %s',
  async (_, open) => {
    const place = await open()
    const queue = await JobQueue.open({ store: place.store, network })
    // A process whose clock is ahead puts one job off and is killed while it has the other.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    let taken = 0
    const work = () => {
      if (++taken === 1) throw new Error('not yet')
      return new Promise<void>(() => {})
    }
    const ahead = (await openBackend(place.store, network)).worker('head', work, {
      ...{
        concurrency: 1,
        lockDuration: 3_000,
        skipLockRenewal: true,
        skipStalledCheck: true,
        drainDelay: 1,
      },
      settings: { backoffStrategy: () => 1_000 },
    })
    ahead.on('error', () => {})
    await queue.add([head(7), head(8)])
    await expect.poll(() => taken, { timeout: 5_000 }).toBe(2)
    await ahead.close(true)
    vi.useRealTimers()

    const done: number[] = []
    const handle = async ({ from }: Job) => void done.push(from)
    const worker = queue.work({ lane: 'head', concurrency: 1, handle })
    try {
      // As the planner does while blocks are missing.
      const look = async () => {
        await queue.outstanding('head')
        return [...done].sort()
      }
      await expect.poll(look, { timeout: 5_000 }).toEqual([7, 8])
    } finally {
      await worker.close(2_000)
      await queue.close()
      await place.close()
    }
  },
)
