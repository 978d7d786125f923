import { EventEmitter } from 'node:events'
import type { Response } from 'express'
import { expect, test } from 'vitest'
import { ReadTurns, ReplyReads } from './read-turns.ts'

const reader = (client: string, { destroyed = false } = {}) => ({
  client,
  response: Object.assign(new EventEmitter(), { destroyed, headersSent: false }) as unknown as Response,
})

/** A read that ends when the test says so. */
function read(name: string, started: string[]) {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const run = async () => {
    started.push(name)
    await ended
    return name
  }
  return { run, end: () => end() }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('large replies take turns, clients alternate, and small ones never wait', async () => {
  const turns = new ReadTurns(1)
  const started: string[] = []
  const work = ['a1', 'a2', 'a3', 'b1'].map((name) => {
    const one = read(name, started)
    const reads = new ReplyReads(turns, reader(name[0]!), 1000)
    return { ...one, done: reads.run(one.run) }
  })
  const small = read('small', started)
  const smallDone = new ReplyReads(turns, reader('a'), 10).run(small.run)
  expect(started).toEqual(['a1', 'small'])
  small.end()
  expect(await smallDone).toBe('small')
  for (const index of [0, 1, 3]) {
    work[index]!.end()
    await work[index]!.done
  }
  await settled()
  expect(started).toEqual(['a1', 'small', 'a2', 'b1', 'a3'])
  work[2]!.end()
  expect(await work[2]!.done).toBe('a3')
  expect(turns.waiting).toBe(0)
})

test('a read within a read needs no turn, and the third read of a small page does', async () => {
  const turns = new ReadTurns(1)
  const started: string[] = []
  const other = read('other', started)
  const page = new ReplyReads(turns, reader('a'), 10)
  expect(await page.run(() => page.run(async () => 'inner'))).toBe('inner')
  const first = new ReplyReads(turns, reader('b'), 1000).run(other.run)
  expect(await page.run(async () => 'second')).toBe('second')
  const third = page.run(async () => 'third')
  await settled()
  expect(turns.waiting).toBe(1)
  other.end()
  expect([await first, await third]).toEqual(['other', 'third'])
})

test('a client that leaves gives up its place, and a read that fails ends its turn', async () => {
  const turns = new ReadTurns(1)
  const started: string[] = []
  const one = read('one', started)
  const first = turns.take(reader('a'), one.run)
  const leaving = reader('b')
  const left = turns.take(leaving, async () => 'never')
  leaving.response.emit('close')
  await expect(left).rejects.toThrow('the client has left')
  await expect(turns.take(reader('c', { destroyed: true }), async () => '')).rejects.toThrow('has left')
  const failing = turns.take(reader('a'), async () => {
    throw new Error('query failed')
  })
  const last = turns.take(reader('a'), async () => 'last')
  one.end()
  await first
  await expect(failing).rejects.toThrow('query failed')
  expect(await last).toBe('last')
})

test('who waits too long is refused before anything is written', async () => {
  const turns = new ReadTurns(1, { maxWaitMs: 5 })
  const started: string[] = []
  const one = read('one', started)
  const first = turns.take(reader('a'), one.run)
  await expect(turns.take(reader('b'), async () => '')).rejects.toMatchObject({ status: 503 })
  const begun = reader('b')
  begun.response.headersSent = true
  const later = turns.take(begun, async () => 'goes on')
  await expect(turns.take(reader('b'), async () => '')).rejects.toMatchObject({ status: 503 })
  one.end()
  await first
  expect(await later).toBe('goes on')
})

test('quick reads follow each other; beside a slow one another starts, up to the limit', async () => {
  const turns = new ReadTurns(2)
  const started: string[] = []
  const work = ['one', 'two', 'three'].map((name) => {
    const one = read(name, started)
    return { ...one, done: turns.take(reader(name), one.run) }
  })
  await settled()
  expect(started).toEqual(['one'])
  await expect.poll(() => started).toEqual(['one', 'two'])
  await expect.poll(() => turns.waiting).toBe(1)
  work[0]!.end()
  await expect.poll(() => started).toEqual(['one', 'two', 'three'])
  for (const one of work) one.end()
  expect(await Promise.all(work.map(({ done }) => done))).toEqual(['one', 'two', 'three'])
})
