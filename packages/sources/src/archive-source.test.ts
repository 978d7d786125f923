import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatedChain, unreadableBlock } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { ArchiveSource, formatEntryName, PackWriter } from './index.ts'

test('a block of which nothing can be decoded is the head of an archive like any other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unreadable-'))
  const [step] = generatedChain({ seed: 1, steps: 1 })
  const { id, bytes } = unreadableBlock(step!.masterchain.raw)
  const pack = await PackWriter.create(join(folder, 'archive.00000.pack'))
  await pack.append(formatEntryName('block', id), bytes)
  await pack.close()
  const archive = await ArchiveSource.open({ folder })
  try {
    expect(await archive.head()).toEqual(id)
    await expect(archive.zerostateId()).rejects.toThrow('masterchain block 1 cannot be decoded')
  } finally {
    await archive.close()
    await rm(folder, { recursive: true })
  }
})
