import { readIngestStatus, writeIngestStatus } from '@shardwalk/db'
import { createMetrics, silentLogger } from '@shardwalk/observability'
import { scratchDatabase } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { ingestMetrics } from '../src/metrics.ts'
import { IngestState } from '../src/state.ts'
import { StatusReport } from '../src/status-report.ts'

test('a false head of a killed process is replaced after a minute, though the true one rests', async () => {
  const database = await scratchDatabase()
  const stopping = new AbortController()
  const state = new IngestState()
  state.headSeen(529)
  const metrics = ingestMetrics(createMetrics())
  const report = new StatusReport({ database, state, metrics, log: silentLogger, first: () => 7 })
  const status = () => readIngestStatus(database.db)
  try {
    await writeIngestStatus(database.db, { head: 100_000, first: 1 })
    const running = report.run(stopping.signal)
    await expect.poll(status).toMatchObject({ head: 100_000, first: 7 })
    await database.pool.query("update ingest_status set reported_at = reported_at - interval '61 seconds'")
    await expect.poll(status).toMatchObject({ head: 529, first: 7 })
    stopping.abort()
    await running
  } finally {
    stopping.abort()
    await report.close()
    await database.close()
  }
})
