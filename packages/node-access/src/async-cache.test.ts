import { describe, expect, test } from 'vitest'
import { AsyncCache } from './async-cache.ts'
import { callScope, untilAborted, within } from './call-scope.ts'
import { NodeAccessError } from './errors.ts'

/** A query whose answer the test controls. */
function query() {
  let answer = (_value: string): void => {}
  let fail = (_error: Error): void => {}
  let asked = 0
  const value = new Promise<string>((resolve, reject) => {
    answer = resolve
    fail = reject
  })
  const load = () => {
    asked++
    return value
  }
  return { load, answer, fail, asked: () => asked }
}

test('concurrent equal requests share one query', async () => {
  const cache = new AsyncCache<string>(10)
  const { load, answer, asked } = query()
  const both = Promise.all([cache.get('a', load), cache.get('a', load)])
  answer('block')
  expect(await both).toEqual(['block', 'block'])
  expect(await cache.get('a', load)).toBe('block')
  expect(asked()).toBe(1)
})

test('a failure is not cached', async () => {
  const cache = new AsyncCache<string>(10)
  const { load, fail } = query()
  const first = cache.get('a', load)
  fail(new Error('no server'))
  await expect(first).rejects.toThrow('no server')
  expect(await cache.get('a', async () => 'block')).toBe('block')
})

test('the least recently used answer is dropped first', async () => {
  const cache = new AsyncCache<string>(2)
  const fresh = (key: string) => cache.get(key, async () => `fresh ${key}`)
  for (const key of ['a', 'b']) await cache.get(key, async () => key)
  expect(await fresh('a')).toBe('a')
  expect(await fresh('c')).toBe('fresh c')
  expect([await fresh('a'), await fresh('b')]).toEqual(['a', 'fresh b'])
})

test('large answers are dropped when they take more memory than all may, the last one never', async () => {
  const memory = { bytes: 10, weigh: (value: string) => value.length }
  const cache = new AsyncCache<string>(100, { memory })
  const asked: string[] = []
  const ask = (value: string) =>
    cache.get(value, async () => {
      asked.push(value)
      return value
    })
  const askAll = async (values: readonly string[]) => {
    asked.length = 0
    for (const value of values) await ask(value)
    return [...asked]
  }
  await askAll(['aaaa', 'bbbb', 'cc'])
  expect(await askAll(['bbbb', 'cc', 'aaaa'])).toEqual([])
  expect(await askAll(['dd', 'cc', 'aaaa', 'dd', 'bbbb'])).toEqual(['dd', 'bbbb'])
  expect(await askAll(['e'.repeat(20), 'e'.repeat(20), 'dd', 'e'.repeat(20)])).toEqual([
    ...['e'.repeat(20), 'dd', 'e'.repeat(20)],
  ])
})

test('an answer that cannot be weighed is given, and not kept', async () => {
  const weigh = () => {
    throw new Error('damaged')
  }
  const cache = new AsyncCache<string>(10, { memory: { bytes: 100, weigh } })
  const { load, answer, asked } = query()
  answer('block')
  expect(await cache.get('a', load)).toBe('block')
  expect(await cache.get('a', load)).toBe('block')
  expect(asked()).toBe(2)
})

test('an answer with a lifetime of zero is requested again', async () => {
  const cache = new AsyncCache<string>(2, { ttlMs: 0 })
  await cache.get('a', async () => 'old')
  expect(await cache.get('a', async () => 'new')).toBe('new')
})

describe('a deadline', () => {
  test('ends the wait of its caller, and the query continues for the others', async () => {
    const cache = new AsyncCache<string>(10)
    const { load, answer, asked } = query()
    const abort = new AbortController()
    const hurried = within({ signal: abort.signal }, () => cache.get('a', load))
    const patient = cache.get('a', load)
    abort.abort()
    await expect(hurried).rejects.toMatchObject({ code: 'aborted', retry: 'later' })
    answer('block')
    expect(await patient).toBe('block')
    expect(asked()).toBe(1)
  })

  test('does not apply to a shared query', async () => {
    const cache = new AsyncCache<string>(10)
    let seen: AbortSignal | undefined
    await within({ signal: new AbortController().signal }, () =>
      cache.get('a', async () => {
        seen = callScope().signal
        return 'block'
      }),
    )
    expect(seen).toBeUndefined()
  })

  test('that has passed refuses at once, and later failures are ignored', async () => {
    const { load, fail } = query()
    const work = within({ signal: AbortSignal.abort() }, () => untilAborted(load()))
    await expect(work).rejects.toBeInstanceOf(NodeAccessError)
    fail(new Error('too late'))
    await new Promise((resolve) => setImmediate(resolve))
  })

  test('cancels a query with `endsAlone` when no caller waits any more', async () => {
    const cache = new AsyncCache<string>(10, { endsAlone: true })
    const { load } = query()
    const callers = [new AbortController(), new AbortController()]
    let seen: AbortSignal | undefined
    const waits = callers.map(({ signal }) =>
      within({ signal }, () =>
        cache.get('a', () => {
          seen = callScope().signal
          return load()
        }),
      ),
    )
    const outcomes = Promise.allSettled(waits)
    callers[0]!.abort()
    await expect(waits[0]).rejects.toMatchObject({ code: 'aborted' })
    expect(seen?.aborted).toBe(false)
    callers[1]!.abort()
    await outcomes
    expect(seen?.aborted).toBe(true)
    expect(await cache.get('a', async () => 'fresh')).toBe('fresh')
  })

  test('that has not passed leaves errors unchanged', async () => {
    const signal = new AbortController().signal
    await expect(within({ signal }, () => Promise.reject(new RangeError('mine')))).rejects.toThrow(RangeError)
  })
})

test('numbers of servers are reported through shared queries', async () => {
  const servers: number[] = []
  const scope = { signal: new AbortController().signal, onServer: (server: number) => servers.push(server) }
  const cache = new AsyncCache<string>(10)
  await within(scope, () =>
    cache.get('a', async () => {
      callScope().onServer?.(2)
      return 'block'
    }),
  )
  expect(servers).toEqual([2])
})
