import { readIngestStatus } from '@shardwalk/db'
import { MASTERCHAIN } from '@shardwalk/model'
import { JobQueue } from '@shardwalk/queue'
import { generatedChain, generatedSource, scratchDatabase } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { runIngest } from './run-ingest.ts'

const LAST = 40
const FALSE_HEAD = 100_000

test('a head that no source has any more leaves no job, no number and no gap', async () => {
  const steps = [...generatedChain({ seed: 3, steps: LAST, accounts: 8, transactions: 3 })]
  const scratch = await scratchDatabase()
  const source = generatedSource(steps)
  const last = await source.head()
  const falseHead = { ...last, seqno: FALSE_HEAD }
  const reported = async () => (await readIngestStatus(scratch.db))?.head
  let isFalse = true
  const follow = async (seqno: number) => {
    isFalse &&= (await reported()) !== FALSE_HEAD
    return source.waitForMasterchain(seqno, { timeoutMs: 10 })
  }
  const queue = await JobQueue.open({
    store: { databaseUrl: scratch.url },
    network: steps[0]!.zerostates.get(MASTERCHAIN)!.id.rootHash,
  })
  const jobs = async () => [...(await queue.outstanding('head')), ...(await queue.outstanding('backfill'))]
  try {
    await runIngest({
      source: {
        ...source,
        head: async () => (isFalse ? falseHead : last),
        waitForMasterchain: async (seqno) => (isFalse && seqno <= FALSE_HEAD ? falseHead : follow(seqno)),
      },
      scratch,
      range: { from: 1, to: LAST },
      options: { order: 'newest-first' },
      until: async () => (await jobs()).length === 0,
    })
    expect(await readIngestStatus(scratch.db)).toMatchObject({ head: LAST, first: 1 })
  } finally {
    await queue.close()
    await scratch.close()
  }
})
