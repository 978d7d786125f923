import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readManifest } from '@shardwalk/exports'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { classifyWithoutFacts, commitGroups, recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runCommand } from './run-command.ts'

let scratch: ScratchDatabase
let folder: string
beforeEach(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-export-again-'))
  vi.stubEnv('DATABASE_URL', scratch.url)
  vi.stubEnv('EXPORT_PRIORITY', 'normal')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await scratch?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function commit(from: number, to: number): Promise<void> {
  const batches = await recordedBatches({ to })
  await commitGroups(scratch, [batches.filter(({ mcBlockSeqno }) => mcBlockSeqno >= from)])
}

/** What the manifest of the blocks 10 to 19 says after a run. */
async function exported(dataset: string, ...more: string[]) {
  const out = join(folder, 'out')
  const range = ['--from', '10', '--to', '19', '--partition', 'mc-seqno', '--chunk', '10']
  const place = ['--out', out, '--network', 'sample', '--data-dir', folder]
  const { code, text } = await runCommand(['export', dataset, ...range, ...place, ...more])
  expect([code, text]).toEqual([0, expect.stringContaining('rows')])
  const found = await readManifest(join(out, 'sample', dataset, 'mc_seqno=0000000010-0000000019'))
  const { complete, gaps, rows } = found!
  return { complete, gaps, rows, isNew: !text.includes('is there already') }
}

test('blocks that were missing are in the files of the next run', async () => {
  await commit(1, 12)
  await commit(16, 21)
  const first = await exported('blocks', '--allow-gaps')
  expect(first).toMatchObject({ complete: false, gaps: [[13, 15]], isNew: true })
  expect(await exported('blocks', '--allow-gaps')).toEqual({ ...first, isNew: false })
  await commit(13, 15)
  const second = await exported('blocks')
  expect(second).toMatchObject({ complete: true, gaps: [], isNew: true })
  expect(second.rows).toBeGreaterThan(first.rows)
  expect(await exported('blocks', '--allow-gaps')).toEqual({ ...second, isNew: false })
})

test('actions that were not known are in the files of the next run', async () => {
  await commit(1, 21)
  expect(await exported('actions')).toEqual({ complete: false, gaps: [], rows: 0, isNew: true })
  await classifyWithoutFacts(scratch)
  for (const queue of ['refresh_queue', 'event_queue']) await scratch.pool.query(`delete from ${queue}`)
  const second = await exported('actions')
  expect(second).toMatchObject({ complete: true, isNew: true })
  expect(second.rows).toBeGreaterThan(0)
  expect(await exported('actions')).toEqual({ ...second, isNew: false })
})
