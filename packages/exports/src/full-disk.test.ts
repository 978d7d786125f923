import { existsSync } from 'node:fs'
import { RowBatch } from '@shardwalk/db/datasets'
import { expect, test } from 'vitest'
import { openRowFile } from './row-files.ts'

/** Every write to it finds no space left. */
const FULL = '/dev/full'

test.runIf(existsSync(FULL)).each(['parquet', 'ndjson', 'csv'] as const)(
  '%s: a full disk is an error, not a short file',
  async (format) => {
    const write = async () => {
      const file = await openRowFile(format, { path: FULL, columns: [{ name: 'hash', type: 'str' }] })
      const rows = RowBatch.of(Buffer.from(`${'x'.repeat(1000)}\n`.repeat(5000)), 1)
      try {
        await file.write(rows)
        await file.close()
      } finally {
        await file.abandon()
      }
    }
    await expect(write()).rejects.toMatchObject({ code: 'ENOSPC' })
  },
)
