import { expect, test } from 'vitest'
import { ThreadDied, ThreadPool } from '../src/index.ts'

const SCRIPT = new URL('./sleepy-thread.mjs', import.meta.url)

test('a stuck thread is ended at the deadline, and another one takes the waiting tasks', async () => {
  const pool = new ThreadPool<string, string>(SCRIPT, 1, { deadlineMs: 3_000 })
  try {
    expect(await pool.run('first')).toBe('first')
    const stuck = pool.run('stuck')
    const next = pool.run('next')
    await expect(stuck).rejects.toThrow(ThreadDied)
    expect(await next).toBe('next')
  } finally {
    await pool.close()
  }
})
