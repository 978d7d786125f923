import type { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { ProcessGuard } from './guard.ts'

test.skipIf(process.platform === 'win32')('a guard that cannot be started is started again', () => {
  vi.useFakeTimers()
  try {
    const stdin = Object.assign(new PassThrough(), { unref: () => {} })
    const shell = Object.assign(new EventEmitter(), { pid: 7, stdin, unref: () => {}, kill: () => true })
    const failed = new EventEmitter()
    const spawnProcess = vi
      .fn()
      .mockImplementationOnce(() => {
        throw new Error('spawn ENOMEM')
      })
      .mockReturnValueOnce(failed)
      .mockReturnValueOnce(shell)
    const guard = new ProcessGuard([['KILL', 0]], spawnProcess as unknown as typeof spawn)
    guard.set([42])
    vi.advanceTimersByTime(1_000)
    failed.emit('error', new Error('spawn EMFILE'))
    vi.advanceTimersByTime(1_000)
    expect(String(stdin.read())).toBe('42\n')
    guard.close()
    vi.advanceTimersByTime(5_000)
    expect(spawnProcess).toHaveBeenCalledTimes(3)
  } finally {
    vi.useRealTimers()
  }
})
