import type { ChildProcess, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { silentLogger } from '@shardwalk/observability'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Child } from './child.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** As `spawn` returns it: without a pid if it failed, and then without streams where files are wanting. */
const fake = (fields: object) => Object.assign(new EventEmitter(), fields) as unknown as ChildProcess
const STREAMS = { stdout: new PassThrough(), stderr: new PassThrough() }

test('a process that cannot be started is started again until it runs', () => {
  const [withoutFiles, withoutProgram] = [fake({}), fake(STREAMS)]
  const spawnProcess = vi
    .fn()
    .mockImplementationOnce(() => {
      throw new Error('spawn ENOMEM')
    })
    .mockReturnValueOnce(withoutFiles)
    .mockReturnValueOnce(withoutProgram)
    .mockReturnValueOnce(fake({ pid: 7, ...STREAMS }))
  const logged: string[] = []
  const log = {
    ...silentLogger,
    error: (message: string) => logged.push(message),
    info: (message: string) => logged.push(message),
  }
  const child = new Child(
    { name: 'api', entry: 'apps/api/src/main.ts', env: {} },
    { log, onLine: () => {} },
    spawnProcess as unknown as typeof spawn,
  )
  child.start()
  vi.advanceTimersByTime(250)
  withoutFiles.emit('error', new Error('spawn EMFILE'))
  vi.advanceTimersByTime(500)
  withoutProgram.emit('error', new Error('spawn ENOENT'))
  expect(child.pid).toBeUndefined()
  vi.advanceTimersByTime(1_000)
  expect(child.pid).toBe(7)
  expect(logged).toEqual([...Array(3).fill('process not started'), 'process started'])
})
