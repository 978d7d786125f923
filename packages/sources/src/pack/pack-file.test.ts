import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PackEntry } from './format.ts'
import { parseEntryName } from './names.ts'
import { PackFile } from './pack-file.ts'
import { PackFolder } from './pack-folder.ts'
import { PackWriter } from './pack-writer.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packs-'))
})
afterAll(() => rm(folder, { recursive: true }))

const NODE_PACK = 'fixtures/chain/node-archive/arch0000/archive.00018.pack.gz'

const list = async (path: string): Promise<PackEntry[]> => {
  const pack = await PackFile.open(path)
  const entries: PackEntry[] = []
  for await (const entry of pack.entries()) entries.push(entry)
  await pack.close()
  return entries
}

test("a node's package is read entry by entry, with blocks and proofs", async () => {
  const kinds = (await list(NODE_PACK)).map((entry) => parseEntryName(entry.name))
  expect(kinds.filter((parsed) => parsed?.kind === 'block').map((parsed) => parsed?.id.seqno)).toEqual([18])
  expect(kinds.filter((parsed) => parsed?.kind === 'proof')).toHaveLength(1)
})

test('the reader reads what the writer wrote, plain and gzipped', async () => {
  const path = join(folder, 'own.pack')
  const writer = await PackWriter.create(path)
  const written = [
    await writer.append('first', Buffer.from('abc')),
    await writer.append('empty', Buffer.alloc(0)),
  ]
  await writer.close()
  await writeFile(`${path}.gz`, gzipSync(await readFile(path)))
  expect(await list(path)).toEqual(written)
  expect(await list(`${path}.gz`)).toEqual(written)
})

test('a rewritten node package is identical byte for byte', async () => {
  const pack = await PackFile.open(NODE_PACK)
  const path = join(folder, 'copy.pack')
  const writer = await PackWriter.create(path)
  for await (const entry of pack.entries()) await writer.append(entry.name, await pack.data(entry))
  await writer.close()
  expect((await readFile(path)).equals(await pack.read(0, pack.size))).toBe(true)
})

test('a damaged tail is not an error: complete entries before it are used', async () => {
  const pack = await PackFile.open(NODE_PACK)
  const whole = await list(NODE_PACK)
  const last = whole.at(-1)!
  for (const cut of [last.offset + 1, last.offset + 8, last.dataOffset, last.dataOffset + last.size - 1]) {
    const path = join(folder, 'cut.pack')
    await writeFile(path, await pack.read(0, cut))
    expect(await list(path)).toEqual(whole.slice(0, -1))
  }
  const path = join(folder, 'garbage.pack')
  await writeFile(path, Buffer.concat([await pack.read(0, pack.size), Buffer.from('half written')]))
  expect(await list(path)).toEqual(whole)
})

test('a file of another kind is refused with its name', async () => {
  const path = join(folder, 'other.pack')
  await writeFile(path, 'no package')
  await expect(PackFile.open(path)).rejects.toThrow(/other\.pack does not start with the package magic/)
})

test('a block archived twice is found in the undamaged copy', async () => {
  const pack = await PackFile.open(NODE_PACK)
  const entry = (await list(NODE_PACK)).find(({ name }) => parseEntryName(name)?.kind === 'block')!
  const { id } = parseEntryName(entry.name)!
  const bytes = await pack.data(entry)
  const damaged = Buffer.from(bytes)
  damaged[100]! ^= 1
  const twice = await mkdtemp(join(folder, 'twice-'))
  for (const [i, data] of [damaged, bytes].entries()) {
    const writer = await PackWriter.create(join(twice, `${i}.pack`))
    await writer.append(entry.name, data)
    await writer.close()
  }
  const packs = await PackFolder.index(twice)
  expect((await packs.getBlock(id))?.equals(bytes)).toBe(true)
  await packs.close()
})

test('a package that could not be opened is opened once it is there again; closing never fails', async () => {
  const [path, away] = [join(folder, 'moved', 'archive.pack.gz'), join(folder, 'away')]
  await mkdir(join(folder, 'moved'))
  await copyFile(NODE_PACK, path)
  const packs = await PackFolder.index(join(folder, 'moved'))
  await rename(path, away)
  await expect(packs.masterchainBlockId(18)).rejects.toMatchObject({ code: 'ENOENT' })
  await rename(away, path)
  expect(await packs.masterchainBlockId(18)).toMatchObject({ seqno: 18 })
  await packs.close()
  await rename(path, away)
  const opening = expect(packs.masterchainBlockId(18)).rejects.toMatchObject({ code: 'ENOENT' })
  await packs.close()
  await opening
})
