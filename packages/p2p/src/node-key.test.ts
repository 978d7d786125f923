import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimNodeKey, NodeKeyDamaged } from './node-key.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'node-key-'))
  path = join(folder, 'networks', 'mainnet.adnl-key')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function start(unixTime: number) {
  const { identity, release } = await claimNodeKey(path, unixTime)
  await release()
  return identity!
}

test('the key is the same at every start, and each start is later than the one before', async () => {
  const first = await start(1_000.7)
  const inTheSameSecond = await start(1_000.9)
  // The clock was set back a little.
  const earlier = await start(990)
  expect([first.startedAt, inTheSameSecond.startedAt, earlier.startedAt]).toEqual([1_000, 1_001, 1_002])
  expect([inTheSameSecond.seed, earlier.seed]).toEqual([first.seed, first.seed])
})

test('after the clock was set back by more than nodes accept, the node gets a new key', async () => {
  const first = await start(10_000)
  const second = await start(9_000)
  expect(second.startedAt).toBe(9_000)
  expect(second.seed.equals(first.seed)).toBe(false)
  expect((await start(9_100)).seed).toEqual(second.seed)
})

test('nobody else may read the file, also if others could before', async () => {
  await start(1_000)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  await chmod(path, 0o644)
  await start(1_001)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('only one process at a time has the key', async () => {
  const holder = await claimNodeKey(path)
  expect((await claimNodeKey(path)).identity).toBeUndefined()
  await holder.release()
  const next = await claimNodeKey(path)
  expect(next.identity?.seed).toEqual(holder.identity?.seed)
  await next.release()
})

test.each([
  ['empty', ''],
  ['cut off', '{"seed":"0011'],
  ['of another length', '{"seed":"0011","startedAt":5}'],
  ['without a date', `{"seed":"${'00'.repeat(32)}"}`],
  ['something else', 'null'],
])('a file that is %s is an error that names it, and stays as it is', async (_what, text) => {
  await start(1_000)
  await writeFile(path, text)
  const claimed = claimNodeKey(path)
  await expect(claimed).rejects.toThrow(NodeKeyDamaged)
  await expect(claimed).rejects.toThrow(path)
  expect(await readFile(path, 'utf8')).toBe(text)
  // The lock was let go of: it can be mended.
  await rm(path)
  expect(await start(1_001)).toBeDefined()
})
