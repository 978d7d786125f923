import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { MASTERCHAIN } from '@shardwalk/model'
import { generatedChain, unreadableBlock } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { ArchiveSource } from './index.ts'
import { formatEntryName } from './pack/names.ts'
import { PackWriter } from './pack/pack-writer.ts'

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

const PART = [...generatedChain({ seed: 3, steps: 3, workchains: [0, -10], genesis: 0.5, accounts: 8 })]
const zerostate = (workchain: number) => PART[0]!.zerostates.get(workchain)!
const hashOf = (workchain: number) => zerostate(workchain).id.fileHash.toString('hex').toUpperCase()

test.each([
  ['archive/states', (workchain: number) => `archive/states/zerostate_${workchain}_${hashOf(workchain)}`],
  ['static', (workchain: number) => `static/${hashOf(workchain)}`],
])('the network of a part of an archive is set by the zerostate in %s of the node', async (_, nameOf) => {
  const database = await mkdtemp(join(tmpdir(), 'node-'))
  const folder = join(database, 'archive/packages')
  await mkdir(folder, { recursive: true })
  const pack = await PackWriter.create(join(folder, 'archive.00002.pack'))
  for (const { masterchain, shards } of PART.slice(1))
    for (const { raw } of [...shards, masterchain])
      await pack.append(formatEntryName('block', raw.id), raw.bytes)
  await pack.close()
  const archive = await ArchiveSource.open({ folder })
  try {
    await expect(archive.zerostateId()).rejects.toThrow('neither masterchain block 1 nor the zerostate')
    for (const workchain of [0, -10, MASTERCHAIN]) {
      const path = join(database, nameOf(workchain))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, zerostate(workchain).bytes)
      await writeFile(join(dirname(path), 'f'.repeat(64)), 'no zerostate')
    }
    expect(await archive.zerostateId()).toEqual(zerostate(MASTERCHAIN).id)
    expect(await archive.getZerostate(zerostate(-10).id)).toEqual(zerostate(-10).bytes)
  } finally {
    await archive.close()
    await rm(database, { recursive: true })
  }
})
