import { createDb, writeIngestStatus } from '@shardwalk/db'
import { silentLogger } from '@shardwalk/observability'
import { repartition, sampleChainDatabase } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { HashFilters } from '../src/hash-filters.ts'

test('ingest makes what look-ups by hash need of finished partitions, until it is stopped', async () => {
  const scratch = await sampleChainDatabase()
  const database = createDb({ url: scratch.url, max: 2 })
  try {
    await repartition(scratch.pool, 5)
    await writeIngestStatus(scratch.db, { head: 1_000_000, first: 1 })
    const stopping = new AbortController()
    const warnings: unknown[] = []
    const log = { ...silentLogger, warn: (...all: unknown[]) => warnings.push(all) }
    const running = new HashFilters({ database, log }).run(stopping.signal)
    const inForce = async () =>
      (await scratch.pool.query('select of_table from hash_filters where is_complete')).rowCount
    await expect.poll(inForce).toBe(2 * 4)
    stopping.abort()
    await running
    expect(warnings).toEqual([])
  } finally {
    await database.close()
    await scratch.close()
  }
})
