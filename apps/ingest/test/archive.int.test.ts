import { join } from 'node:path'
import { Recording, RecordingSource } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { openArchive } from '../src/origin.ts'
import { checksumsOf, endingAt } from './run-ingest.ts'

test("the node's own packages give the tables that the recording of its chain gives", async () => {
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  const archive = await openArchive(join(FIXTURE_CHAIN_FOLDER, 'node-archive'))
  try {
    const range = { from: recording.first, to: recording.last }
    expect((await archive.head()).seqno).toBeGreaterThanOrEqual(range.to)
    const expected = await checksumsOf({ source: new RecordingSource(recording), range })
    expect(await checksumsOf({ source: endingAt(archive, range.to), range })).toEqual(expected)
  } finally {
    await archive.close()
    await recording.close()
  }
})
