import { BatchSink, createDb, writeIngestStatus } from '@shardwalk/db'
import { silentLogger } from '@shardwalk/observability'
import { scratchDatabase } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { expect, test } from 'vitest'
import { HashFilters } from '../src/hash-filters.ts'

test('ingest makes what look-ups by hash need of finished partitions, until it is stopped', async () => {
  const scratch = await scratchDatabase()
  const database = createDb({ url: scratch.url, max: 2 })
  try {
    const sink = new BatchSink(scratch.pool, { partitionWidth: 3_000_000n })
    await sink.commitBatches(await recordedBatches({ to: 10 }))
    await writeIngestStatus(scratch.db, { head: 10, first: 1 })
    const stopping = new AbortController()
    const warnings: unknown[] = []
    const log = { ...silentLogger, warn: (...all: unknown[]) => warnings.push(all) }
    const running = new HashFilters({ database, log }).run(stopping.signal)
    const count = async (text: string) => (await scratch.pool.query(text)).rowCount ?? 0
    const partitions = await count("select from pg_inherits where inhparent = 'transactions'::regclass")
    expect(partitions).toBeGreaterThan(2)
    const inForce = () => count("select from hash_filters where is_complete and of_table = 'transactions'")
    await expect.poll(inForce).toBe(partitions - 1)
    stopping.abort()
    await running
    expect(warnings).toEqual([])
  } finally {
    await database.close()
    await scratch.close()
  }
})
