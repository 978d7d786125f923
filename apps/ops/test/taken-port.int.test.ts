import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { waitUntil, within } from './processes.ts'
import { cleanUp, startBeginning } from './running-start.ts'

const folders: string[] = []
afterAll(() => cleanUp(folders))

test('of two starts at once with one port, the slower ends and names the setting', async () => {
  const { run, apiPort } = await startBeginning(folders, 20)
  await waitUntil('the API is started', () => run.pids.has('api'), { everyMs: 5 })
  // It has not loaded its program yet, and the port was free before.
  const other = createServer().listen(apiPort, '127.0.0.1')
  await once(other, 'listening')
  try {
    expect(await within('the end', 120_000, run.exited)).toBe(1)
  } finally {
    other.close()
  }
  expect(run.lines.join('\n')).toMatch(
    new RegExp(`"reason":"api: port ${apiPort} on .* is in use by another program; set API_PORT`),
  )
})
