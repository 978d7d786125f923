import { afterAll, expect, test } from 'vitest'
import { waitUntil, within } from './processes.ts'
import { cleanUp, startBeginning } from './running-start.ts'

const folders: string[] = []
afterAll(() => cleanUp(folders))

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('start ends in order, with its processes, if nobody reads its output any more', async () => {
  const { run } = await startBeginning(folders, 20)
  await waitUntil('the API is started', () => run.pids.has('api'), { everyMs: 5 })
  const pids = [...run.pids.values()]
  run.stopReading()
  expect(await within('the end', 120_000, run.exited)).toBe(1)
  const output = run.lines.join('\n')
  expect(output).toContain('Nobody reads the output any more: stopping')
  expect(output).not.toContain('at Terminal.line')
  expect(pids.filter(isAlive)).toEqual([])
})
