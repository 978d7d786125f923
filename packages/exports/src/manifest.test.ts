import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readManifest } from './manifest.ts'

test('a damaged manifest is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-manifest-'))
  try {
    expect(await readManifest(folder)).toBeUndefined()
    await writeFile(join(folder, '_manifest.json'), '{"format": "par')
    await expect(readManifest(folder)).rejects.toThrow(`${join(folder, '_manifest.json')} is damaged`)
  } finally {
    await rm(folder, { recursive: true })
  }
})
