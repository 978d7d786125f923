import { hash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { formatBlockId, sameBlock } from '@shardwalk/model'
import { BlockNotAvailable, type BlockSource } from '@shardwalk/pipeline'
import { swept } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ArchiveSource, Recording, RecordingSource, record } from './index.ts'
import { RecordingConflict } from './recording/errors.ts'

const CHAIN = 'fixtures/chain'
let folder: string
let recording: Recording
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sources-'))
  recording = await Recording.open(CHAIN)
})
afterAll(async () => {
  await recording.close()
  await rm(folder, { recursive: true })
})

const openArchive = () => ArchiveSource.open({ folder: `${CHAIN}/node-archive`, zerostateFolders: [CHAIN] })

test('the sample is complete: 529 masterchain and 1,151 shard blocks with matching hashes', async () => {
  let shards = 0
  for (const { block } of recording.blocks()) {
    await recording.read(block)
    if (block.id.workchain === 0) shards++
  }
  expect([recording.first, recording.last, shards]).toEqual([1, 529, 1151])
  expect(recording.network.globalId).toBe(-239)
})

test("the node's own archive has every recorded block with the same bytes", async () => {
  const archive = await openArchive()
  for (const { block } of recording.blocks())
    expect((await archive.getBlock(block.id)).equals(await recording.read(block))).toBe(true)
  await archive.close()
})

test('the head of the archive is its newest masterchain block whose shard blocks are present', async () => {
  const archive = await openArchive()
  const head = await archive.head()
  expect(head.seqno).toBeGreaterThan(529)
  expect(head.seqno).toBeLessThanOrEqual(archive.masterchainSeqnos().at(-1)!)
  expect(await archive.waitForMasterchain(529, { timeoutMs: 1 })).toEqual(recording.step(529)!.block.id)
  expect(await archive.waitForMasterchain(head.seqno + 1, { timeoutMs: 1 })).toBeUndefined()
  await archive.close()
})

test('an archive that is away has no head until it is there again', async () => {
  const [there, away] = [join(folder, 'there'), join(folder, 'away')]
  await cp(`${CHAIN}/node-archive`, there, { recursive: true })
  const archive = await ArchiveSource.open({ folder: there })
  await rename(there, away)
  await expect(archive.head()).rejects.toMatchObject({ code: 'ENOENT' })
  await rename(away, there)
  expect((await archive.head()).seqno).toBeGreaterThan(529)
  await archive.close()
})

const sources: readonly [string, () => Promise<BlockSource>][] = [
  ['recording', async () => new RecordingSource(await Recording.open(CHAIN))],
  ['archive', openArchive],
]

test.each(sources)('%s: zerostates, global version and missing blocks', async (_, open) => {
  const source = await open()
  expect(sameBlock(await source.zerostateId(), recording.network.zerostate)).toBe(true)
  const { zerostate, zerostates } = recording.network
  expect(zerostates.map(({ workchain }) => workchain)).toEqual([-1, 0])
  for (const id of zerostates)
    expect(hash('sha256', (await source.getZerostate(id))!, 'buffer')).toEqual(id.fileHash)
  expect(await source.getZerostate({ ...zerostates[1]!, workchain: 5 })).toBeUndefined()
  // Config parameter 8 is 12 throughout, while the software that created the blocks has version 13.
  const { id } = recording.step(5)!.block
  expect(await source.globalVersionAtKeyBlock(zerostate)).toBe(12)
  expect(await source.globalVersionAtKeyBlock(recording.step(18)!.block.id)).toBe(12)
  await expect(source.globalVersionAtKeyBlock(id)).rejects.toThrow(/is no key block/)
  await expect(source.masterchainBlockId(100_000)).rejects.toThrow(BlockNotAvailable)
  await expect(source.getBlock({ ...id, rootHash: Buffer.alloc(32) })).rejects.toThrow(BlockNotAvailable)
  await source.close()
})

test('waiting on a source that never grows ends at once when aborted', async () => {
  const source = new RecordingSource(recording)
  const aborted = source.waitForMasterchain(530, {
    timeoutMs: 60_000,
    signal: AbortSignal.abort(new Error('enough')),
  })
  await expect(aborted).rejects.toThrow('enough')
})

test('proofs are recorded as in the archive: all, or those of key blocks and the last block', async () => {
  const archive = await openArchive()
  const [all, some] = [join(folder, 'proofs-all'), join(folder, 'proofs-some')]
  expect(await record({ source: archive, folder: all, from: 15, to: 45, proofs: 'all' })).toMatchObject({
    proofs: 31,
  })
  // Key blocks 18, 19, 21, 39 to 42, and the last block.
  expect(await record({ source: archive, folder: some, from: 15, to: 45 })).toMatchObject({ proofs: 8 })
  const copy = await Recording.open(all)
  const { id } = copy.step(30)!.block
  expect((await copy.proof(id))?.equals((await recording.proof(id))!)).toBe(true)
  expect(copy.network.initBlock).toEqual(copy.step(18)!.block.id)
  await copy.close()
  await archive.close()
})

test('a damaged recording never returns wrong bytes', async () => {
  const copy = join(folder, 'damaged')
  await mkdir(copy)
  await cp(`${CHAIN}/index.json.gz`, join(copy, 'index.json.gz'))
  const pack = gunzipSync(await readFile(`${CHAIN}/blocks.000.pack.gz`))
  pack[recording.step(1)!.block.dataOffset + 50]! ^= 1
  await writeFile(join(copy, 'blocks.000.pack'), pack)
  const damaged = await Recording.open(copy)
  await expect(damaged.read(damaged.step(1)!.block)).rejects.toThrow(/blocks\.000\.pack does not hold \(-1,/)
  await damaged.close()
})

/** One line per block; independent blocks of one step may be in any order. */
const summary = (of: Recording, from = 1, to = 529) =>
  [...of.blocks()]
    .filter(({ mcBlockSeqno }) => mcBlockSeqno >= from && mcBlockSeqno <= to)
    .map(
      ({ block: b, mcBlockSeqno }) =>
        `${mcBlockSeqno} ${[b.id, ...b.prev].map(formatBlockId)} ${b.endLt} ${b.size}`,
    )
    .sort()

test('record reproduces the same chain across splits and merges', async () => {
  const target = join(folder, 'range')
  const source = new RecordingSource(recording)
  const result = await record({ source, folder: target, from: 120, to: 400 })
  const copy = await Recording.open(target)
  const zerostateId = copy.network.zerostate
  expect(summary(copy)).toEqual(summary(recording, 120, 400))
  expect(copy.step(200)!.shardTops).toEqual(recording.step(200)!.shardTops)
  expect(result).toMatchObject({ from: 120, to: 400, resumed: 0 })
  expect((await copy.zerostate(zerostateId))?.equals((await recording.zerostate(zerostateId))!)).toBe(true)
  await copy.close()
})

test('a recording interrupted anywhere is continued with the same result', async () => {
  const whole = join(folder, 'whole')
  const source = new RecordingSource(recording)
  await record({ source, folder: whole, from: 1, to: 130 })
  const files = ['index.json', 'blocks.00000000.pack', 'blocks.00000100.pack']
  const expected = await Promise.all(files.map((file) => readFile(join(whole, file))))
  for (const keep of swept([0, 3, 4, 700, 50_000, 200_000], 2)) {
    const broken = join(folder, `broken-${keep}`)
    await mkdir(broken)
    await writeFile(join(broken, 'blocks.00000000.pack'), expected[1]!)
    await writeFile(join(broken, 'blocks.00000100.pack'), expected[2]!)
    await truncate(join(broken, 'blocks.00000100.pack'), keep)
    const { resumed } = await record({ source, folder: broken, from: 1, to: 130 })
    expect(resumed).toBeGreaterThanOrEqual(99)
    for (const [i, file] of files.entries())
      expect((await readFile(join(broken, file))).equals(expected[i]!), `${file} after ${keep} bytes`).toBe(
        true,
      )
  }
})

test('a finished recording is extended; another range is refused', async () => {
  const target = join(folder, 'longer')
  const source = new RecordingSource(recording)
  await record({ source, folder: target, from: 10, to: 20 })
  expect(await record({ source, folder: target, from: 10, to: 25 })).toMatchObject({ resumed: 11, to: 25 })
  await expect(record({ source, folder: target, from: 5, to: 25 })).rejects.toThrow(RecordingConflict)
  await expect(record({ source, folder: target, from: 10, to: 24 })).rejects.toThrow(RecordingConflict)
})
