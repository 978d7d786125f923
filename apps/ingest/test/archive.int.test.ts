import { copyFile, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import { Recording, RecordingSource } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { openArchive, openOrigin } from '../src/origin.ts'
import { checksumsOf, endingAt } from './run-ingest.ts'

test("the node's packages give the same tables as the recording of its chain", async () => {
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  const archive = await openArchive(join(FIXTURE_CHAIN_FOLDER, 'node-archive'))
  try {
    // The next test has several shards, and one that was merged.
    const range = { from: recording.first, to: isLong ? recording.last : 24 }
    expect((await archive.head()).seqno).toBeGreaterThanOrEqual(recording.last)
    const expected = await checksumsOf({ source: endingAt(new RecordingSource(recording), range.to), range })
    expect(await checksumsOf({ source: endingAt(archive, range.to), range })).toEqual(expected)
  } finally {
    await archive.close()
    await recording.close()
  }
})

test('a few packages with the zerostate beside them are indexed from the second block on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-archive-'))
  const packages = join(FIXTURE_CHAIN_FOLDER, 'node-archive/arch0000')
  for (const name of await readdir(packages))
    if (/^archive\.00(489|589)\./.test(name)) await symlink(join(packages, name), join(folder, name))
  await copyFile(join(FIXTURE_CHAIN_FOLDER, 'zerostate_-1.boc'), join(folder, 'zerostate_-1.boc'))
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  const { source, start } = await openOrigin(
    { origin: { kind: 'archive', folder }, start: 'genesis' },
    { metrics: noMetrics, log: silentLogger },
  )
  try {
    expect(start).toBe(490)
    const range = { from: 490, to: isLong ? recording.last : 510 }
    const expected = await checksumsOf({ source: endingAt(new RecordingSource(recording), range.to), range })
    expect(await checksumsOf({ source: endingAt(source, range.to), range })).toEqual(expected)
  } finally {
    await source.close()
    await recording.close()
    await rm(folder, { recursive: true })
  }
})
