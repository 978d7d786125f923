import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { findEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { afterAll, expect, test } from 'vitest'
import { waitUntil, within } from './processes.ts'
import { cleanUp, startBeginning } from './running-start.ts'

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
