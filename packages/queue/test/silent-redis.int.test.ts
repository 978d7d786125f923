import { hasRedisServer, startBreakableLink, startRedis } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { type Job, JobQueue, type QueueEvent } from '../src/index.ts'

const head = (seqno: number): Job => ({ name: 'index_head', from: seqno, to: seqno })

test.skipIf(!hasRedisServer() && !process.env['CI'])(
  'connections to Redis that fall silent are replaced, and the queue goes on',
  async () => {
    const redis = await startRedis()
    const { hostname, port } = new URL(redis.url)
    const link = await startBreakableLink({ host: hostname, port: Number(port) })
    const events: QueueEvent[] = []
    const done: number[] = []
    const queue = await JobQueue.open({
      store: { redisUrl: `redis://127.0.0.1:${link.port}` },
      network: Buffer.alloc(32, 1),
      onEvent: (event) => events.push(event),
    })
    const handle = async ({ from }: Job) => void done.push(from)
    const worker = queue.work({ lane: 'head', concurrency: 1, handle })
    await queue.add([head(1)])
    await expect.poll(() => done, { timeout: 20_000 }).toEqual([1])
    link.silence()
    // The producer notices first: workers wait for jobs in silence.
    await queue.add([head(2)])
    await expect.poll(() => done.includes(2), { timeout: 30_000 }).toBe(true)
    const texts = events.map((event) => ('error' in event ? event.error.message : ''))
    expect(texts).toContainEqual(expect.stringContaining('Socket timeout'))
    await worker.close(5_000)
    await queue.close()
    await link.close()
    await redis.close()
  },
)
