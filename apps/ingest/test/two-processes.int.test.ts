import { tableChecksums } from '@shardwalk/db'
import { Recording, RecordingSource } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checksumsOf, endingAt, runIngest } from './run-ingest.ts'

const RANGE = { from: 1, to: 120 }

let recording: Recording
beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
})
afterAll(() => recording.close())

const source = () => endingAt(new RecordingSource(recording), RANGE.to)

test('two ingest processes, one from either end, give the same tables as one', async () => {
  const expected = await checksumsOf({ source: source(), range: RANGE })
  const scratch = await scratchDatabase({ max: 12 })
  try {
    await Promise.all(
      (['oldest-first', 'newest-first'] as const).map((order) =>
        runIngest({ source: source(), scratch, range: RANGE, options: { order } }),
      ),
    )
    expect(Object.fromEntries(await tableChecksums(scratch.db))).toEqual(expected)
  } finally {
    await scratch.close()
  }
})
