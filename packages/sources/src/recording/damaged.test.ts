import { cp, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { formatBlockId } from '@shardwalk/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IndexJson } from './format.ts'
import { Recording } from './recording.ts'

const CHAIN = 'fixtures/chain'
let home: string
let index: IndexJson
let pack: Buffer
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'damaged-'))
  index = JSON.parse(gunzipSync(await readFile(`${CHAIN}/index.json.gz`)).toString()) as IndexJson
  pack = gunzipSync(await readFile(`${CHAIN}/blocks.001.pack.gz`))
})
afterAll(() => rm(home, { recursive: true }))

let copies = 0
/** A copy with the second package unpacked, and another index. */
async function copyOf(change: (index: IndexJson) => unknown = (same) => same): Promise<string> {
  const folder = join(home, `copy${copies++}`)
  await mkdir(folder)
  await cp(`${CHAIN}/blocks.000.pack.gz`, join(folder, 'blocks.000.pack.gz'))
  await writeFile(join(folder, 'blocks.001.pack'), pack)
  await writeFile(join(folder, 'index.json'), JSON.stringify(change(structuredClone(index))))
  return folder
}

/** A block of the second package. */
const late = (recording: Recording) => recording.step(recording.last)!.block

test('a truncated package is reported with its end when the recording is opened', async () => {
  const folder = await copyOf()
  await truncate(join(folder, 'blocks.001.pack'), pack.length - 7)
  const problem = `blocks.001.pack ends at offset ${pack.length - 7}, index.json says ${pack.length}`
  await expect(Recording.open(folder)).rejects.toThrow(problem)
  await expect(Recording.open(folder)).rejects.toMatchObject({ retry: 'never', offset: pack.length - 7 })
})

test('a changed byte is found when the package is first read, once for all its blocks', async () => {
  const folder = await copyOf()
  const changed = Buffer.from(pack)
  // A byte in the name of the first entry, which no block hash covers.
  changed[12] = changed[12]! ^ 1
  await writeFile(join(folder, 'blocks.001.pack'), changed)
  const recording = await Recording.open(folder)
  const failure = await recording.read(late(recording)).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'recording_damaged', retry: 'never' })
  expect(String(failure)).toMatch(
    /blocks\.001\.pack holds other bytes than index\.json says, in \d+ bytes from offset 0 on/,
  )
  expect(await recording.read(late(recording)).catch((error: unknown) => error)).toBe(failure)
  expect((await recording.read(recording.step(1)!.block)).length).toBeGreaterThan(0)
  await recording.close()
})

test('the first wrong block is reported with its offset', async () => {
  const folder = await copyOf()
  const recording = await Recording.open(folder)
  const { id, dataOffset, file } = late(recording)
  expect(file).toBe('blocks.001.pack')
  const changed = Buffer.from(pack)
  changed[dataOffset + 100] = changed[dataOffset + 100]! ^ 1
  await writeFile(join(folder, file), changed)
  const problem = `does not hold ${formatBlockId(id)} at offset ${dataOffset} where`
  await expect(recording.read(late(recording))).rejects.toThrow(problem)
  await recording.close()
})

test('a package that decompresses to more than its indexed size is not held in memory', async () => {
  const folder = await copyOf()
  await rm(join(folder, 'blocks.001.pack'))
  await writeFile(join(folder, 'blocks.001.pack.gz'), gzipSync(Buffer.concat([pack, Buffer.alloc(1 << 26)])))
  const recording = await Recording.open(folder)
  await expect(recording.read(late(recording))).rejects.toThrow(
    /blocks\.001\.pack\.gz cannot be decompressed/,
  )
  await recording.close()
})

test('bytes that a recording appended after its index are not damage', async () => {
  const folder = await copyOf()
  await writeFile(join(folder, 'blocks.001.pack'), Buffer.concat([pack, Buffer.from('more')]))
  const recording = await Recording.open(folder)
  expect((await recording.read(late(recording))).length).toBeGreaterThan(0)
  await recording.close()
})

test.each(['../../etc/passwd', '/etc/passwd', 'a/../../x', '..', '.', '', 'a\\..\\x', 'a\u0000b', '.hidden'])(
  'a package named %j is refused',
  async (file) => {
    const folder = await copyOf((json) => ({ ...json, packs: [{ ...json.packs[0]!, file }] }))
    await expect(Recording.open(folder)).rejects.toThrow(/packs\[0\]\.file: is not the name of a file/)
  },
)

test('a block outside of the packages that the index lists is refused', async () => {
  const moved = (change: Partial<IndexJson['masterchain'][number]['block']>) => (json: IndexJson) => ({
    ...json,
    masterchain: json.masterchain.map((step, i) =>
      i === 3 ? { ...step, block: { ...step.block, ...change } } : step,
    ),
  })
  for (const change of [{ file: '../../x' }, { data_offset: 1e9 }, { size: -1 }, { data_offset: -5 }])
    await expect(Recording.open(await copyOf(moved(change)))).rejects.toThrow(/lies in no package/)
})
