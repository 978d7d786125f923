import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Recording } from '@shardwalk/sources'
import { generatedRecording } from '@shardwalk/testkit'
import { expect, test, vi } from 'vitest'
import { ReplayChain } from './chain.ts'

test.each([
  ['two recordings', 2],
  ['several short recordings', 5],
])('states of %s that are served by turns are computed once', async (_, count) => {
  const folders = await Promise.all(Array.from({ length: count }, () => mkdtemp(join(tmpdir(), 'states-'))))
  const options = { steps: 3, accounts: 4, transactions: 1 }
  for (const [seed, folder] of folders.entries())
    await (await generatedRecording(folder, { ...options, seed })).close()
  /** How often a block is read for the newest state. */
  const reads = async (folder: string): Promise<number> => {
    const recording = await Recording.open(folder)
    const read = vi.spyOn(recording, 'read')
    await new ReplayChain(recording).state(recording.step(3)!.block.id)
    await recording.close()
    return read.mock.calls.length
  }
  try {
    for (const folder of folders) expect(await reads(folder)).toBeGreaterThan(0)
    for (const folder of folders) expect(await reads(folder)).toBe(0)
  } finally {
    for (const folder of folders) await rm(folder, { recursive: true })
  }
})
