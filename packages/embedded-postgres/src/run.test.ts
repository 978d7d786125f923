import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from './run.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-run-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a program whose loader is missing, as on Alpine, is not reported as a missing file', async () => {
  const file = join(folder, 'initdb')
  await writeFile(file, '#!/lib/no-such-loader.so\n', { mode: 0o755 })
  await expect(run(file, [])).rejects.toThrow(`cannot run ${file}: it needs glibc`)
})

test('a missing program, and one that may not be run, are named', async () => {
  await expect(run(join(folder, 'none'), [])).rejects.toThrow(/cannot run .*none: spawn .* ENOENT/)
  const file = join(folder, 'plain')
  await writeFile(file, '', { mode: 0o644 })
  await expect(run(file, [])).rejects.toThrow(/cannot run .*plain: spawn .* EACCES/)
})
