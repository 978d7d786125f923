import { scratchDatabase } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { type Job, JobQueue } from '../src/index.ts'

const JOB: Job = { name: 'index_head', from: 7, to: 7 }

/** Defaults that an administrator may give to a database or a role. */
const UNUSUAL = { default_transaction_isolation: 'serializable', statement_timeout: '1ms' }

test('jobs run where the URL has options, and statements have other defaults', async () => {
  const scratch = await scratchDatabase({ migrated: false })
  const url = new URL(scratch.url)
  for (const [setting, value] of Object.entries(UNUSUAL))
    await scratch.pool.query(`alter database "${url.pathname.slice(1)}" set ${setting} = '${value}'`)
  url.searchParams.set('options', '-c work_mem=8MB')
  const queue = await JobQueue.open({
    store: { databaseUrl: url.href },
    network: Buffer.alloc(32, 1),
    onEvent: () => {},
  })
  try {
    const done: Job[] = []
    const worker = queue.work({ lane: 'head', concurrency: 1, handle: async (job) => void done.push(job) })
    await queue.add([JOB])
    await expect.poll(() => done).toEqual([JOB])
    await worker.close(5_000)
  } finally {
    await queue.close()
    await scratch.close()
  }
})
