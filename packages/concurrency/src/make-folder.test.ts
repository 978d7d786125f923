import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

test('a folder is created with those above it, by several at once, and may be there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-folder-'))
  try {
    const path = join(folder, 'a', 'b', 'c')
    await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(folder, 'a', 'd'))])
    await makeFolder(path)
    expect((await stat(path)).isDirectory()).toBe(true)
    await writeFile(join(folder, 'file'), '')
    await expect(makeFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
    await expect(makeFolder(join(folder, 'file', 'x', 'y'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.runIf(process.platform === 'linux')('it ends where the system allows no folders', async () => {
  await expect(makeFolder('/proc/none/x')).rejects.toMatchObject({ code: 'ENOENT' })
})
