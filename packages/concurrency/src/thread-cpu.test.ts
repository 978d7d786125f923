import { expect, test } from 'vitest'
import { threadCpuMs } from './thread-cpu.ts'

test.runIf(process.platform === 'linux')('a thread that waits uses no time of a processor', () => {
  const before = threadCpuMs()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  const waited = threadCpuMs() - before
  expect(waited).toBeLessThan(100)
  const startedAt = threadCpuMs()
  const wallAt = performance.now()
  while (performance.now() - wallAt < 20);
  expect(threadCpuMs()).toBeGreaterThan(startedAt)
})
