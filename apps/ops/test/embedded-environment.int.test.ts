import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { makePreparedDataDir } from './drill.ts'
import { runCommand } from './run-command.ts'
import { cleanUp } from './running-start.ts'

const folders: string[] = []
afterEach(() => vi.unstubAllEnvs())
afterAll(() => cleanUp(folders))

test('what psql is to encrypt does not concern the embedded server', async () => {
  const dataDir = await makePreparedDataDir(folders)
  vi.stubEnv('DATABASE_URL', '')
  vi.stubEnv('PGSSLMODE', 'prefer')
  const { code, text } = await runCommand(['database-url', '--network', 'sample', '--data-dir', dataDir])
  // It is asked for the database of this network, which has not been made.
  expect([code, text]).toEqual([1, expect.stringContaining(`There is nothing of sample in ${dataDir}.`)])
})
