import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RowBatch } from '@shardwalk/db/datasets'
import { expect, test } from 'vitest'
import { replaceFile } from './replace-file.ts'
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

test.runIf(existsSync(FULL))('a description that does not fit leaves nothing behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-full-disk-'))
  try {
    await symlink(FULL, join(folder, '_schema.json.tmp'))
    await expect(replaceFile(join(folder, '_schema.json'), '{}')).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(await readdir(folder)).toEqual([])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
