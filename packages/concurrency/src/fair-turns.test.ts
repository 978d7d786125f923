import { expect, test } from 'vitest'
import { FairTurns } from './fair-turns.ts'

/** Work that the test ends. */
function works() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    started.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  const end = (name: string) => ends.get(name)!()
  return { started, work, end }
}

test('no more than the given number run at a time, and each that ends lets another one start', async () => {
  const turns = new FairTurns(2)
  const { started, work, end } = works()
  const runs = ['a', 'b', 'c', 'd'].map((name) => turns.run(work(name)))
  expect(started).toEqual(['a', 'b'])
  end('b')
  expect(await runs[1]).toBe('b')
  await expect.poll(() => started).toEqual(['a', 'b', 'c'])
  for (const name of ['a', 'c']) end(name)
  await expect.poll(() => started).toEqual(['a', 'b', 'c', 'd'])
  end('d')
  expect(await Promise.all(runs)).toEqual(['a', 'b', 'c', 'd'])
})

test('work that fails passes its turn on', async () => {
  const turns = new FairTurns(1)
  const failed = turns.run(() => Promise.reject(new Error('no server')))
  const next = turns.run(async () => 'next')
  await expect(failed).rejects.toThrow('no server')
  expect(await next).toBe('next')
  expect(await turns.run(async () => 'later')).toBe('later')
})

test('a client with much work delays another one by one piece', async () => {
  const turns = new FairTurns(1)
  const order: string[] = []
  const run = (name: string, client: string) => turns.run(async () => void order.push(name), { client })
  const busy = [1, 2, 3, 4].map((number) => run(`busy ${number}`, 'busy'))
  await Promise.all([...busy, run('other', 'other')])
  expect(order.indexOf('other')).toBe(2)
})
