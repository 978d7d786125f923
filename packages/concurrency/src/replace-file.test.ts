import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replaceFile } from './replace-file.ts'

/** Every write to it finds no space left. */
const FULL = '/dev/full'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-replace-file-'))
  path = join(folder, 'peers.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('the new text stands alone in the folder, also where a killed process left a part of it', async () => {
  await writeFile(path, 'old')
  await writeFile(`${path}.${process.pid}.tmp`, 'the part that a killed process wrote')
  await replaceFile(path, 'new')
  expect(await readdir(folder)).toEqual(['peers.json'])
  expect(await readFile(path, 'utf8')).toBe('new')
})

test('what other processes left is removed an hour later, and nothing else', async () => {
  const others = ['peers.json.1.tmp', 'peers.json.22.tmp', 'peers.json.tmp', 'my-peers.json.1.tmp']
  for (const name of others) await writeFile(join(folder, name), 'a part')
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000)
  for (const name of others.slice(1)) await utimes(join(folder, name), hoursAgo, hoursAgo)
  await replaceFile(path, 'new')
  const left = ['peers.json', 'peers.json.1.tmp', 'peers.json.tmp', 'my-peers.json.1.tmp']
  expect((await readdir(folder)).sort()).toEqual(left.sort())
})

test('a secret is readable for nobody else, whatever was left or replaced', async () => {
  for (const left of [path, `${path}.${process.pid}.tmp`]) {
    await writeFile(left, 'old')
    await chmod(left, 0o644)
  }
  await replaceFile(path, 'secret', 0o600)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test.runIf(existsSync(FULL))('on a full disk the old text stays, and nothing else', async () => {
  await writeFile(path, 'old')
  await symlink(FULL, `${path}.${process.pid}.tmp`)
  await expect(replaceFile(path, 'new')).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(await readdir(folder)).toEqual(['peers.json'])
  expect(await readFile(path, 'utf8')).toBe('old')
})
