import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { COMPILED_ROOT } from '@shardwalk/testkit/runs'
import { afterAll, expect, test } from 'vitest'
import { waitUntil, within } from './processes.ts'
import { cleanUp, startBeginning } from './running-start.ts'
import { inSmallDisk, mayMount } from './small-disk.ts'

const folders: string[] = []
afterAll(() => cleanUp(folders))

test('if the files of the database disappear, start ends and says so, and makes no empty one', async () => {
  const { run, dataDir } = await startBeginning(folders, 20)
  await waitUntil('ingest is started', () => run.pids.has('ingest'), { seen: () => run.lines.join('\n') })
  const server = (await findEmbeddedPostgres(dataDir))!
  // As when the volume is gone; the server itself notices within a minute that its files are.
  const cluster = join(dataDir, 'postgres')
  await rename(cluster, join(dataDir, 'elsewhere'))
  process.kill(server.pid, 'SIGQUIT')
  expect(await within('the end', 120_000, run.exited)).toBe(1)
  expect(run.lines.join('\n')).toContain(`there is no database in ${cluster} any more`)
  expect(existsSync(cluster)).toBe(false)
})

test.runIf(mayMount).each(['true', 'mkdir "$DATA_DIR/postgres/lost+found"'])(
  'a new volume at the folder of the database is refused with where to mount it (%s)',
  async (make) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'shardwalk-volume-'))
    folders.push(dataDir)
    // Another user runs the server if tests run as root.
    await chmod(dataDir, 0o755)
    await mkdir(join(dataDir, 'postgres'))
    const [program = '', ...runner] = inSmallDisk(join(dataDir, 'postgres'), '1m', `${make} && exec "$@"`)
    const command = [process.execPath, 'scripts/shardwalk.mjs', 'migrate', '--network', 'sample']
    const env = { ...process.env, DATA_DIR: dataDir, DATABASE_URL: '' }
    const options = { cwd: COMPILED_ROOT, env, encoding: 'utf8' } as const
    const { status, stderr } = spawnSync(program, [...runner, ...command], options)
    const expected = expect.stringContaining(
      `is where a volume is mounted; PostgreSQL makes this folder itself`,
    )
    expect([status, stderr]).toEqual([1, expected])
  },
)
