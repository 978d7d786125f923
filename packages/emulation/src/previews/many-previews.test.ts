import { silentLogger } from '@shardwalk/observability'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ManyPreviews, type PreviewThread } from './many-previews.ts'

/** Reports whatever state a test gives it. */
class FakeThread implements PreviewThread<string, string> {
  isReady = true
  idleMs = 0
  silentMs = 0
  endedWith: Error | undefined | 'running' = 'running'

  constructor(private readonly onEnd: (error: Error | undefined) => void) {}

  answer = async () => 'thread'

  end(error?: Error): void {
    this.endedWith = error
    this.onEnd(error)
  }
}

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const here = { answer: async (): Promise<string> => 'here' }

function manyPreviews() {
  const threads: FakeThread[] = []
  const startThread = (onEnd: (error: Error | undefined) => void) => {
    threads.push(new FakeThread(onEnd))
    return threads.at(-1)!
  }
  const previews = new ManyPreviews(here, { startThread, log: silentLogger, many: 20 })
  const ask = async (times: number, everyMs = 0) => {
    const answeredBy: unknown[] = []
    for (let i = 0; i < times; i++) {
      answeredBy.push(await previews.answer('question', new AbortController().signal))
      await vi.advanceTimersByTimeAsync(everyMs)
    }
    return answeredBy
  }
  return { threads, ask }
}

test('twenty within two seconds start a thread, twenty within three do not', async () => {
  const slow = manyPreviews()
  await slow.ask(60, 150)
  expect(slow.threads).toHaveLength(0)
  const fast = manyPreviews()
  expect(await fast.ask(20, 90)).toEqual([...Array(19).fill('here'), 'thread'])
  expect(fast.threads).toHaveLength(1)
})

test('a thread that is not ready is not asked', async () => {
  const { threads, ask } = manyPreviews()
  await ask(20)
  threads[0]!.isReady = false
  expect(await ask(1)).toEqual(['here'])
})

test('a silent thread is ended, and for ten seconds there is none', async () => {
  const { threads, ask } = manyPreviews()
  await ask(20)
  threads[0]!.silentMs = 15_000
  await vi.advanceTimersByTimeAsync(1_000)
  expect(threads[0]!.endedWith).toBe('running')
  threads[0]!.silentMs = 15_001
  await vi.advanceTimersByTimeAsync(1_000)
  expect(threads[0]!.endedWith).toMatchObject({ message: 'no answer within 15000 ms' })
  expect(await ask(90, 100)).toEqual(Array(90).fill('here'))
  await ask(40, 50)
  expect(threads).toHaveLength(2)
})

test('a thread that nobody asks for a minute ends, and the next many start another at once', async () => {
  const { threads, ask } = manyPreviews()
  await ask(20)
  threads[0]!.idleMs = 60_001
  await vi.advanceTimersByTimeAsync(1_000)
  expect(threads[0]!.endedWith).toBeUndefined()
  await vi.advanceTimersByTimeAsync(2_001)
  expect((await ask(20)).at(-1)).toBe('thread')
  expect(threads).toHaveLength(2)
})
